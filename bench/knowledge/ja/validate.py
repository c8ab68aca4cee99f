# Checks the set: counts, names, overlap between queries and documents, synonym groups.
import csv, json, re
t = open('documents.md', encoding='utf-8').read()
docs = [x.split('\n', 1) for x in re.split(r'^# ', t, flags=re.M)[1:]]
names = [d[0].strip() for d in docs]
assert len(names) == 200 and len(set(names)) == 200
for n, b in docs:
    assert 80 <= len(re.sub(r'\s', '', b)) <= 500, n
rows = list(csv.DictReader(open('questions.csv', encoding='utf-8')))
assert len(rows) == 100 and len({r['query'] for r in rows}) == 100
multi, longest, exp = 0, (0, ''), set()
for r in rows:
    q = r['query']; assert 5 <= len(q) <= 60, q
    e = r['expected'].split('|'); multi += len(e) > 1; exp.update(e)
    for x in e: assert x in names, x
    for n in range(len(q), 0, -1):
        if any(q[i:i+n] in t for i in range(len(q)-n+1)):
            if n > longest[0]: longest = (n, q)
            break
assert longest[0] < 12 and multi <= 5
g = json.load(open('synonyms.json', encoding='utf-8'))
assert 40 <= len(g) <= 80
for x in g:
    assert 2 <= len(x) <= 10 and len(set(x)) == len(x) and all(1 <= len(s) <= 50 for s in x), x
print('ok', len(names), 'documents,', len(rows), 'questions,', len(exp), 'distinct expected,', multi, 'with two answers,', len(g), 'groups; longest shared run', longest)
