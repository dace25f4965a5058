         TITLE 'EVERYTHING'
         PRINT ON,GEN,DATA
         PUNCH ' CARD &&'
A        START 8
         COM
CX       DS    F
PRIV     CSECT
         EXTRN E1,E2
         WXTRN W1
         ENTRY P1
PRIV     AMODE 31
PRIV     RMODE ANY
P1       BALR  12,0
         USING *,12,11
         USING D,5
         L     1,DX
         LARL  2,P1
         BRASL 14,P1
         CNOP  2,4
         MVC   DX(4),DY-D(5)
         MVC   0(L'DX,1),=CL4'AB'
         CLC   =C'1',0(1)
         LTORG
         AP    DP,=P'1'
         NOP   0
         JNE   P1
         BNER  14
         LA    1,4(,2)
         LA    1,4(3)
         LG    1,-8(2,3)
         LMY   1,2,-5(3)
         SRP   DP,64-2,5
         TM    FL,X'80'
         CLI   FL,C'A'
         IC    3,=X'1'
         ICM   1,B'0111',DX
         SLL   1,3
         STCM  1,7,DX+1
         LM    2,3,=2F'1'
         DROP  5
         PUSH  USING
         POP   USING
         CCW   2,P1,X'20',80
         CCW1  2,P1,X'20',80
         DC    0D'0',A(P1-4),AL3(E1+8),Y(5),S(P1),S(4(5)),V(EXT1,EXT2)
         DC    3X'AB',XL5'F',B'101',BL2'1',2CL3'A''B&&',P'12.5',Z'-99',PL8'1'
         DC    H'-1',FS4'1.5',FE2'1',F'2147483647',FD'-5',HL1'7'
         DC    E'1E5',D'-1.25E-3',L'1',EB'0.1',DB'1E300',EH'1'
         DC    A(P1+E1-A),A(*),AL1(255,-1),AL2(L'DX)
FL       DC    X'00'
EQ1      EQU   *-P1,5,C'X'
EQ2      EQU   (2+3)*4/3-EQ1
         ORG   *+20
         ORG
         COPY  NOTHERE
MYLOAD   OPSYN L
         MYLOAD 1,DX(1)
         REPRO
ANY TEXT AT ALL
D        DSECT
DX       DS    F,2H,CL5
DY       DS    0CL10
DP       DS    PL4
         EJECT
         SPACE 3
* CONTINUED                                                            X
               COMMENT
         MACRO
&N       TESTM &P1,&P2=(A,B),&P3=3
         GBLA  &CNT
         LCLC  &L(5)
&CNT     SETA  &CNT+1
&L(2)    SETC  (3)'AB'.'&P2(2)'.'XYZ'(2,1)
         AIF   (T'&P1 EQ 'N' OR (K'&P1 GT 2 AND NOT (&CNT EQ 5))).A,X
               ('&L(2)' NE '').B
         AGO   (&CNT).A,.B
.A       DC    C'&L(2) &SYSDATE &SYSECT &SYSPARM'
         TESTM (&P1),P3=&P3
.B       MNOTE 8,'SOMETHING &CNT'
&N       DS    F
         MEND
X1       TESTM 1
X2       TESTM ABC,P2=(1,(2,3),4)
         ACTR  20
         AIF   (L'DX EQ 4).C
.D       AGO   .D
.C       ANOP
         END   P1
