import calendar
import locale

for name in ("xx_XX.UTF-8", ("xx_XX", "UTF-8")):
    try:
        print(locale.setlocale(locale.LC_ALL, name))
    except locale.Error as error:
        print(error)
for name in ("", "C", "POSIX"):
    locale.setlocale(locale.LC_ALL, name)
saved = locale.setlocale(locale.LC_ALL)
locale.setlocale(locale.LC_ALL, saved)
print(calendar.month_name[3], locale.format_string("%.2f", 1234.5))
# | unsupported locale setting
# | unsupported locale setting
# | March 1234.50
