/* an error in a routine in a routine */
x=foo(3)
exit
foo: procedure
return 1 + bar()
bar: interpret "say 1/0"
return 1
