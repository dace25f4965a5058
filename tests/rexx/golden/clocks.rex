/* every form of DATE and TIME; the clock stands at 3 May 1992, 14:07:09.123456 */
do i = 1 to words('B C D E J M N O S U W')
  o = word('B C D E J M N O S U W', i)
  say o date(o)
end
do i = 1 to words('C H L M N S E R')
  o = word('C H L M N S E R', i)
  say o time(o)
end
say date() time()
