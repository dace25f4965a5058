/* the order of search, and what a called exec sees */
say left('abc', 2) 'LEFT'('abc', 2)
say userid()
call ext 'x', , 'z'
say result
say ext('q')
say recurse(3)
exit
left: return 'mine' arg(1)
