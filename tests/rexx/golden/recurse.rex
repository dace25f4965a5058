arg n
if n = 0 then return 'bottom'
return n recurse(n - 1)
