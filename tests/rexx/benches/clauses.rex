/* A mix of clauses like that of the measure REXXCPS: 150 of them in each turn. */
arg turns
total = 0; name = 'key'; list. = 0
do turn = 1 to turns
  flag = 0
  do step = 1 to 5
    table.name.step = substr('123456', step, 1)
    if table.name.step = flag then say 'never'
    do j = 1.5 to 3 by 0.75
      if j > 9 then say 'never'
      if length(name) - 1 > 7 then say 'never'
      if word('one two three', 2) = '?' then say 'never'
      if j < 2 then iterate
      list.turn = list.turn + j
    end
    select
      when flag = 'text' then say 'never'
      when flag == 5 then say 'never'
      otherwise flag = 1
    end
  end
  parse value 'Some words here' with first second .
  call routine first, second turn
  total = (total + length(result)) // 1000
end
exit 0
routine: procedure
  parse arg one, two
  return one || left(two, 3) strip(' x ')
