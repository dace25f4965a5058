         MACRO
&LABEL   ENTER &BASE=12,&SAVE=
         LCLA  &I
.* NOT SHOWN
* SHOWN
&LABEL   STM   14,12,12(13)
         LR    &BASE,15
         AIF   ('&SAVE' EQ '').NOSAVE
         LA    2,&SAVE
.NOSAVE  ANOP
&I       SETA  0
.LOOP    AIF   (&I GE 3).DONE
&I       SETA  &I+1
R&I      EQU   &I
         AGO   .LOOP
.DONE    MEXIT
         MEND
         MACRO
         LISTS &A,&B
         LCLC  &C
         GBLB  &SEEN
&C       SETC  'N'.'&A(2)'.T'&B
         DC    C'&C N=&SYSNDX K=&SYSLIST(1,1)'
         MNOTE *,'COUNT N''&A'
         AIF   (NOT &SEEN AND N'&A EQ 3).FIRST
         MNOTE 4,'AGAIN &A'
         MEXIT
.FIRST   ANOP
&SEEN    SETB  1
         DC    AL1(N'&A,K'&C)
         DC    AL1(L'MAIN+1)
         MEND
MAIN     CSECT
         USING MAIN,12
START    ENTER SAVE=AREA
         LISTS (X,Y,Z),AREA
         LISTS (X,Y),5
&X       SETA  5*(2+3)
&Y       SETC  'ABCDEF'(2,3)
         DC    F'&X',C'&Y'
         AIF   ('&Y' EQ 'BCD').OK
         DC    C'WRONG'
.OK      DC    C'RIGHT'
         LISTS (1)
         NOSUCH 5
         L     1,=A(AREA)
         L     17,AREA
         L     1,UNDEF
AREA     DC    18F'0'
         END   MAIN
