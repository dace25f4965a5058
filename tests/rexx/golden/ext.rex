parse source . t n .
parse arg a, b
say 'in ext' t n a || '+' || b || '.' arg()
return a || 0
