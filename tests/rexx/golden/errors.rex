/* what CMS has error numbers for, and routines that are nowhere */
call try "say 0 ** -1"
call try "say nosuch(1)"
call try "call nosuch"
call try "call 'try'"
call try "x = 'abc' + 1"
call try "say copies('abc', 999999999)"
call try "say substr('abc', 0)"
call try "address (copies('a', 251))"
call try "upper stem."
call try "label: say 1"
call try "say x2d('GG')"
call try "numeric digits 5; numeric fuzz 5"
call try "do forever"
call try "say" copies('(', 300) || 1 || copies(')', 300)
call try "say" copies('-', 100) || 1
call try copies('do; ', 300) copies('end; ', 300)
call try "call deep 1"
exit
deep: procedure
  arg n
  call deep n + 1
  return
try:
  parse arg text
  signal on syntax
  interpret text
  say 'fine:' left(text, 40)
  return
syntax:
  say 'error' rc':' errortext(rc) '-' left(text, 40)
  return
