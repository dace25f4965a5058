/* conditions */
call on error name oops
call on failure
'rc 4'; say 'after 4'
'nosuch'
say 'after nosuch' rc
call off error
'rc 8'; say rc
signal on halt
'halt'
say 'not reached'
exit
oops: say 'oops' rc sigl condition('c') condition('i') condition('d') condition('s'); return
failure: say 'failure' rc condition('c') condition('d'); return
halt: say 'halted at' sigl condition('c')
call on halt name h2
'halt'; say 'same clause?'
say 'next'
signal on novalue name nv
x = undefined.1
exit
h2: say 'h2 called' condition('c'); return
nv: say condition('d') sigl
trace r
x = 1 + 1
if x = 2 then say 'two'
else say 'no'
call sub 5
trace i
y = x * 2 'a' || length('abc') z.x
trace e
'rc 3'
'nosuch'
trace c
'rc 0'
trace l
lab: say 'lab'
trace off
'var q 12'; say q 'rc' rc; 'var a.q hello'; say a.12
b.1='x'; b.2='y'; 'get b.q'; 'dget B.1'; 'drop b.1'; say b.1 symbol('b.1')
'get 12'; say rc; 'get a+b'; say rc; 'private SOURCE'; 'private PARM'; 
parse version v; say v; parse source s; say s
say address(); address xedit; say address(); address; say address(); address foo 'rc 2'; say rc
call ext 1,2; say result; say ext(3)
numeric digits 20; say 2**64 c2d('ffffffffffff'x)
say format(12345.6789,,2) userid()
say 1 +
sub: procedure; arg n; return n+1
