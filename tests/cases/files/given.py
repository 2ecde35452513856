#: arguments {"files": [{"path": "in/data.csv", "text": "a,b\n1,2\n3,4\n"}]}
import csv

print(list(csv.reader(open("in/data.csv"))))
# | [['a', 'b'], ['1', '2'], ['3', '4']]
# --- call
#: arguments {"files": [{"path": "/mnt/data/raw.bin", "base64": "AAEC"}]}
print(open("/mnt/data/raw.bin", "rb").read())
# | b'\x00\x01\x02'
