//! Instructions of System/370 that later architectures dropped.

#[rustfmt::skip]
instructions! {
//  code   name    format since facility
    0x08   SSK     RR    S370 -   { unbuilt } as [Once]
    0x09   ISK     RR    S370 -   { unbuilt } as [Once]
    0x84   WRD     SI    S370 -   { unbuilt }
    0x85   RDD     SI    S370 -   { unbuilt }
    0x9c00 SIO     S     S370 -   { unbuilt } is [InputOutput]
    0x9c01 SIOF    S     S370 -   { unbuilt } is [InputOutput]
    0x9d00 TIO     S     S370 -   { unbuilt } is [InputOutput]
    0x9d01 CLRIO   S     S370 -   { unbuilt } is [InputOutput]
    0x9e00 HIO     S     S370 -   { unbuilt } is [InputOutput]
    0x9e01 HDV     S     S370 -   { unbuilt } is [InputOutput]
    0x9f00 TCH     S     S370 -   { unbuilt } is [InputOutput]
    0x9f01 CLRCH   S     S370 -   { unbuilt } is [InputOutput]
    0xb200 CONCS   S     S370 -   { unbuilt }
    0xb201 DISCS   S     S370 -   { unbuilt }
    0xb203 STIDC   S     S370 -   { unbuilt } is [InputOutput]
    0xb213 RRB     S     S370 -   { unbuilt } as [Once]
}
