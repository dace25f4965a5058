//! Decimal floating point (POP, chapter 20).

use crate::prelude::*;

#[rustfmt::skip]
instructions! {
//  code   name    format since facility
    0xb3d0 MDTR    RRFa  Z    42  { unbuilt }
    0xb3d1 DDTR    RRFa  Z    42  { unbuilt }
    0xb3d2 ADTR    RRFa  Z    42  { unbuilt }
    0xb3d3 SDTR    RRFa  Z    42  { unbuilt }
    0xb3d4 LDETR   RRFc  Z    42  { unbuilt }
    0xb3d5 LEDTR   RRFe  Z    42  { unbuilt }
    0xb3d6 LTDTR   RRE   Z    42  { unbuilt }
    0xb3d7 FIDTR   RRFe  Z    42  { unbuilt }
    0xb3d8 MXTR    RRFa  Z    42  { unbuilt }
    0xb3d9 DXTR    RRFa  Z    42  { unbuilt }
    0xb3da AXTR    RRFa  Z    42  { unbuilt }
    0xb3db SXTR    RRFa  Z    42  { unbuilt }
    0xb3dc LXDTR   RRFc  Z    42  { unbuilt }
    0xb3dd LDXTR   RRFe  Z    42  { unbuilt }
    0xb3de LTXTR   RRE   Z    42  { unbuilt }
    0xb3df FIXTR   RRFe  Z    42  { unbuilt }
    0xb3e0 KDTR    RRE   Z    42  { unbuilt }
    0xb3e1 CGDTR   RRFe  Z    42  { unbuilt }
    0xb3e2 CUDTR   RRE   Z    42  { unbuilt }
    0xb3e3 CSDTR   RRFc  Z    42  { unbuilt }
    0xb3e4 CDTR    RRE   Z    42  { unbuilt }
    0xb3e5 EEDTR   RRE   Z    42  { unbuilt }
    0xb3e7 ESDTR   RRE   Z    42  { unbuilt }
    0xb3e8 KXTR    RRE   Z    42  { unbuilt }
    0xb3e9 CGXTR   RRFe  Z    42  { unbuilt }
    0xb3ea CUXTR   RRE   Z    42  { unbuilt }
    0xb3eb CSXTR   RRFc  Z    42  { unbuilt }
    0xb3ec CXTR    RRE   Z    42  { unbuilt }
    0xb3ed EEXTR   RRE   Z    42  { unbuilt }
    0xb3ef ESXTR   RRE   Z    42  { unbuilt }
    0xb3f1 CDGTR   RRFe  Z    42  { unbuilt }
    0xb3f2 CDUTR   RRE   Z    42  { unbuilt }
    0xb3f3 CDSTR   RRE   Z    42  { unbuilt }
    0xb3f4 CEDTR   RRE   Z    42  { unbuilt }
    0xb3f5 QADTR   RRFb  Z    42  { unbuilt }
    0xb3f6 IEDTR   RRFc  Z    42  { unbuilt }
    0xb3f7 RRDTR   RRFb  Z    42  { unbuilt }
    0xb3f9 CXGTR   RRFe  Z    42  { unbuilt }
    0xb3fa CXUTR   RRE   Z    42  { unbuilt }
    0xb3fb CXSTR   RRE   Z    42  { unbuilt }
    0xb3fc CEXTR   RRE   Z    42  { unbuilt }
    0xb3fd QAXTR   RRFb  Z    42  { unbuilt }
    0xb3fe IEXTR   RRFc  Z    42  { unbuilt }
    0xb3ff RRXTR   RRFb  Z    42  { unbuilt }
    0xb941 CFDTR   RRFe  Z    37  { unbuilt }
    0xb942 CLGDTR  RRFe  Z    37  { unbuilt }
    0xb943 CLFDTR  RRFe  Z    37  { unbuilt }
    0xb949 CFXTR   RRFe  Z    37  { unbuilt }
    0xb94a CLGXTR  RRFe  Z    37  { unbuilt }
    0xb94b CLFXTR  RRFe  Z    37  { unbuilt }
    0xb951 CDFTR   RRFe  Z    37  { unbuilt }
    0xb952 CDLGTR  RRFe  Z    37  { unbuilt }
    0xb953 CDLFTR  RRFe  Z    37  { unbuilt }
    0xb959 CXFTR   RRFe  Z    37  { unbuilt }
    0xb95a CXLGTR  RRFe  Z    37  { unbuilt }
    0xb95b CXLFTR  RRFe  Z    37  { unbuilt }
    0xed40 SLDT    RXF   Z    42  { unbuilt }
    0xed41 SRDT    RXF   Z    42  { unbuilt }
    0xed48 SLXT    RXF   Z    42  { unbuilt }
    0xed49 SRXT    RXF   Z    42  { unbuilt }
    0xed50 TDCET   RXE   Z    42  { unbuilt }
    0xed51 TDGET   RXE   Z    42  { unbuilt }
    0xed54 TDCDT   RXE   Z    42  { unbuilt }
    0xed55 TDGDT   RXE   Z    42  { unbuilt }
    0xed58 TDCXT   RXE   Z    42  { unbuilt }
    0xed59 TDGXT   RXE   Z    42  { unbuilt }
    0xeda8 CZDT    RSLb  Z    48  { unbuilt }
    0xeda9 CZXT    RSLb  Z    48  { unbuilt }
    0xedaa CDZT    RSLb  Z    48  { unbuilt }
    0xedab CXZT    RSLb  Z    48  { unbuilt }
    0xedac CPDT    RSLb  Z    42  { unbuilt }
    0xedad CPXT    RSLb  Z    42  { unbuilt }
    0xedae CDPT    RSLb  Z    42  { unbuilt }
    0xedaf CXPT    RSLb  Z    42  { unbuilt }
}
