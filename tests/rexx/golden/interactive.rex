/* interactive */
x = 0
trace ?r
do i = 1 to 2
  x = x + i
end
say 'x' x
y = 5
say 'end'
exit
