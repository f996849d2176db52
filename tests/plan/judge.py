#!/usr/bin/env python3
# Copyright (c) 2026 The napcoll authors. SPDX-License-Identifier: BSD-3-Clause
"""A second judge of plans: reads plan sets (napcoll-plans(5)) and decides whether they are right.

It shares no code with the verifier and works in another way. It runs all ranks forwards, event by
event: a rank posts a stage, a stage ends. A value is written out, as the sequence of the ranks that
it has contributions of and the tree of its reductions; the verifier goes from results backwards and
compares sums of random numbers. Both must say the same of every plan set.

    judge.py FILE...             one line for each plan set; status 1 where one is broken
    judge.py --compare FILE...   behind each set a line "# verifier: STATUS" says what the verifier
                                 found; prints a table, and the sets on which the two differ

Not judged: phases of other components, blocks whose sizes only their owners know, and user buffers
in which blocks are not side by side (allgatherv, reduce_scatter, nodes that are not contiguous).
"""

import re
import sys
from collections import Counter, defaultdict, deque

REDUCES = {'allreduce', 'reduce', 'scan', 'exscan', 'reduce_scatter_block'}
PERSONALIZED = {'alltoall', 'gather', 'scatter'}
KNOWN = REDUCES | PERSONALIZED | {'allgather', 'bcast', 'barrier'}
SPAN = re.compile(r'(sendbuf|recvbuf|list|temp\d+)\[(-?\d+)(?:\+(-?\d+))?\]$')


class Broken(Exception):
    """What is wrong with a plan set: the kind of error, and where."""

    def __init__(self, kind, where=''):
        super().__init__(f'{kind}: {where}' if where else kind)
        self.kind = kind


# ---- reading ----


class Span:
    """Blocks of one buffer, or of runs of the plan's list."""

    def __init__(self, text):
        self.buffer, self.first, self.count = 'sendbuf', 0, 0
        if text != '-':
            match = SPAN.match(text)
            if not match:
                raise Broken('form', text)
            self.buffer, self.first = match.group(1), int(match.group(2))
            self.count = 1 if match.group(3) is None else int(match.group(3))


class Step:
    """recv: dst, peer. send: left, peer. copy: dst, left. reduce: dst, left, right."""

    def __init__(self, words):
        self.kind = words[0]
        self.dst = self.left = self.right = None
        self.peer = -1
        if self.kind == 'recv':
            self.dst, self.peer = Span(words[1]), int(words[3])
        elif self.kind == 'send':
            self.left, self.peer = Span(words[1]), int(words[3])
        elif self.kind in ('copy', 'reduce'):
            self.dst, self.left = Span(words[1]), Span(words[3])
            if self.kind == 'reduce':
                self.right = Span(words[5])
        else:
            raise Broken('form', ' '.join(words))

    def is_message(self):
        return self.kind in ('recv', 'send')

    def spans(self):
        return [s for s in (self.dst, self.left, self.right) if s is not None]


class Plan:
    """Of one rank."""

    def __init__(self):
        self.temps, self.list, self.stages = [], [], []


class PlanSet:
    """Of all ranks."""

    def __init__(self, name, collective):
        self.name, self.collective = name, collective
        self.ranks, self.root, self.blocks, self.layout = 0, 0, 1, ''
        self.nodes, self.plans = [], []
        self.flags, self.limit = set(), {}
        self.in_place = 'no'
        self.verifier = None

    def header(self, words):
        key = words[0]
        if key in ('ranks', 'root'):
            setattr(self, key, int(words[1]))
        elif key == 'layout':
            self.layout = words[1]
            self.blocks = int(words[2]) if self.layout == 'vector' else 1
        elif key == 'nodes':
            for word in words[1:]:
                node, _, times = word.partition('*')
                self.nodes += [node] * int(times or 1)
        elif key == 'in_place':
            self.in_place = words[1]
        elif key in ('messages', 'inter'):
            self.limit[key] = int(words[1])
        elif key in ('noncommutative', 'halves', 'alone'):
            self.flags.add(key)
        else:
            raise Broken('form', ' '.join(words))

    def line(self, words):
        plan = self.plans[-1] if self.plans else None
        if words[0] == 'rank':
            self.plans.append(Plan())
            if int(words[1]) != len(self.plans) - 1:
                raise Broken('form', 'ranks are not in order')
        elif plan is None:
            self.header(words)
        elif words[0] == 'temps':
            plan.temps += [tuple(int(x) for x in word.split('+')) for word in words[1:]]
        elif words[0] == 'list':
            plan.list += [Span(word) for word in words[1:]]
        elif words[0] == 'stage':
            plan.stages.append([])
        else:
            plan.stages[-1].append(Step(words))


def read(lines):
    """The plan sets of a text, one after the other."""
    plan_set = None
    for line in lines:
        if plan_set is not None and line.startswith('# verifier: '):
            plan_set.verifier = line[len('# verifier: '):].strip()
        words = line.split('#')[0].split()
        if not words or words[0] == 'napcoll-plans':
            continue
        if words[0] == 'plan':
            if plan_set is not None:
                yield plan_set
            plan_set = PlanSet(words[1], words[2])
        else:
            plan_set.line(words)
    if plan_set is not None:
        yield plan_set


# ---- one plan ----


class Judge:
    """The state of one plan set while it runs."""

    def __init__(self, plans):
        self.set = plans
        self.goal = plans.collective
        self.size = plans.ranks
        self.personal = plans.layout == 'personalized'
        if self.goal not in KNOWN or len(plans.plans) != self.size:
            raise Broken('form', f'{self.goal}, {len(plans.plans)} plans of {self.size} ranks')
        if self.personal != (self.goal in PERSONALIZED):
            raise Broken('span', 'a layout that does not suit the collective')
        if plans.layout in ('ranks', 'personalized'):
            plans.blocks = self.size
        self.nodes = plans.nodes or list(range(self.size))
        self.user = [self.user_ranges(rank) for rank in range(self.size)]
        self.value = [self.begin(rank) for rank in range(self.size)]
        self.knows = [{rank} for rank in range(self.size)]
        self.stage = [0] * self.size
        self.posted = [False] * self.size
        # of (sender, receiver): what is sent, and what is waited for, in order
        self.sent, self.wanted = defaultdict(deque), defaultdict(deque)
        self.open = [0] * self.size
        self.landed = [[] for _ in range(self.size)]

    def takes(self, rank):
        """Whether a rank gets a result."""
        if self.goal in ('reduce', 'gather'):
            return rank == self.set.root
        if self.goal == 'bcast':
            return rank != self.set.root
        return self.goal != 'exscan' or rank > 0

    def is_in_place(self, rank):
        if self.goal == 'reduce' and rank != self.set.root:
            return False
        return self.set.in_place == 'yes' and self.goal in (
            'allreduce', 'reduce', 'scan', 'exscan', 'allgather')

    def user_ranges(self, rank):
        """The blocks of the user's two buffers: (first, count)."""
        whole, mine, none = (0, self.set.blocks), (rank, 1), (0, 0)
        has = self.takes(rank)
        away = (rank - self.set.root) % self.size
        return {
            'allreduce': (whole, whole),
            'scan': (whole, whole),
            'alltoall': (whole, whole),
            'reduce': (whole, whole if has else none),
            'exscan': (whole, whole if has or self.set.in_place == 'yes' else none),
            'reduce_scatter_block': (whole, mine),
            'allgather': (mine, whole),
            'bcast': (none, whole) if has else (whole, none),
            'gather': ((away, 1), whole if has else none),
            'scatter': (whole if away == 0 else none, (-away % self.size, 1)),
            'barrier': (none, none),
        }[self.goal]

    def range_of(self, rank, buffer):
        if buffer == 'sendbuf':
            return self.user[rank][0]
        if buffer == 'recvbuf':
            return self.user[rank][1]
        temps = self.set.plans[rank].temps
        number = int(buffer[4:])
        return temps[number] if number < len(temps) else (0, 0)

    def begin(self, rank):
        """The values of a rank's input: (buffer, block) -> value."""
        first, count = self.user[rank][0]
        buffer = 'recvbuf' if self.is_in_place(rank) else 'sendbuf'
        if self.personal:
            return {(buffer, b): (rank, (rank - b) % self.size)
                    for b in range(first, first + count)}
        return {(buffer, b): ((rank,), rank) for b in range(first, first + count)}

    # ---- what a plan shows by itself ----

    def runs(self, rank, span):
        """The runs of a span; they are inside their buffers."""
        if self.goal == 'barrier' or (self.personal and span.count == 0):
            if span.count != 0 or span.buffer not in ('sendbuf', 'recvbuf'):
                raise Broken('span', f'rank {rank}')
            return []
        runs, left = [span], span.count
        if span.buffer == 'list':
            entries = self.set.plans[rank].list
            if not self.personal or not 0 <= span.first < len(entries):
                raise Broken('span', f'rank {rank}: a list')
            runs = []
            for run in entries[span.first:]:
                if left <= 0:
                    break
                runs.append(run)
                left -= run.count
            if left != 0:
                raise Broken('span', f'rank {rank}: a list')
        for run in runs:
            first, count = (0, 0) if run.buffer == 'list' else self.range_of(rank, run.buffer)
            if run.count < 1 or run.first < first or run.first + run.count > first + count:
                raise Broken('span', f'rank {rank}: {run.buffer}[{run.first}+{run.count}]')
        return runs

    def blocks(self, rank, span):
        return [(run.buffer, b) for run in self.runs(rank, span)
                for b in range(run.first, run.first + run.count)]

    def same(self, a, b):
        """Whether two spans are the same blocks, as far as blocks keep their numbers."""
        if a.count != b.count:
            return False
        if self.set.layout == 'vector':
            return a.first == b.first
        return self.set.layout != 'ranks' or (a.first - b.first) % self.size == 0

    def check_step(self, rank, step):
        places = [set(self.blocks(rank, span)) for span in step.spans()]
        if step.is_message():
            if not 0 <= step.peer < self.size or step.peer == rank:
                raise Broken('peer', f'rank {rank}')
        elif any(span.buffer == 'list' for span in step.spans()):
            raise Broken('span', f'rank {rank}: a list in a {step.kind}')
        if step.dst is not None and any(b == 'sendbuf' for b, _ in places[0]):
            raise Broken('span', f'rank {rank} writes to the send buffer')
        if (self.goal == 'allgather' and step.kind in ('send', 'reduce')
                and step.left.buffer == 'sendbuf'):
            raise Broken('span', f'rank {rank} takes a block before it is copied')
        if step.is_message():
            return
        if self.personal and (step.dst.buffer != 'recvbuf' or step.dst.count != 1):
            raise Broken('span', f'rank {rank} copies to a slot, or several blocks')
        if not all(self.same(step.dst, span) for span in step.spans()):
            raise Broken('reduction', f'rank {rank}: other blocks')
        if places[0] & places[1]:
            raise Broken('reduction', f'rank {rank} overwrites its operand')
        if step.kind == 'reduce' and places[0] & places[2] and (
                step.dst.first != step.right.first or step.dst.buffer != step.right.buffer):
            raise Broken('reduction', f'rank {rank} overwrites its right operand')

    def check_stage(self, rank, stage):
        """Messages come first, in their numbers, and no receive goes where another message is."""
        count, used, written = Counter(), set(), set()
        for i, step in enumerate(stage):
            self.check_step(rank, step)
            if not step.is_message():
                continue
            if i > 0 and not stage[i - 1].is_message():
                raise Broken('span', f'rank {rank}: a message behind work')
            count[step.kind] += 1
            if self.nodes[rank] != self.nodes[step.peer]:
                count['inter ' + step.kind] += 1
            if self.personal and step.kind == 'send':
                continue
            blocks = self.blocks(rank, step.dst or step.left)
            for block in blocks:
                if block in written or (step.kind == 'recv' and block in used):
                    raise Broken('in flight', f'rank {rank}')
                used.add(block)
                if step.kind == 'recv':
                    written.add(block)
        for kind, limit in (('', 'messages'), ('inter ', 'inter')):
            most = max(count[kind + 'recv'], count[kind + 'send'])
            if most > self.set.limit.get(limit, most):
                raise Broken('messages', f'rank {rank}')

    def check_overwritten(self, rank):
        """A reduce-scatter in place: no input is read after the result was begun."""
        begun = False
        for stage in self.set.plans[rank].stages:
            begun = begun or any(s.kind == 'recv' and s.dst.buffer == 'recvbuf' for s in stage)
            for step in stage:
                reads = [s.buffer for s in (step.left, step.right) if s is not None]
                begins = step.kind != 'send' and step.dst.buffer == 'recvbuf'
                early = begins and step.kind == 'reduce' and step.left.buffer == 'sendbuf'
                if early or (begun and 'sendbuf' in reads):
                    raise Broken('reduction', f'rank {rank} reads what the result has overwritten')
                begun = begun or begins

    # ---- events ----

    def get(self, rank, block):
        if block not in self.value[rank]:
            raise Broken('unwritten', f'rank {rank}, stage {self.stage[rank]}: {block}')
        return self.value[rank][block]

    def post(self, rank):
        """A rank posts the messages of its stage; what they carry is fixed with that."""
        stage = self.set.plans[rank].stages[self.stage[rank]]
        self.posted[rank] = True
        pairs = []
        for step in stage:
            if not step.is_message():
                break
            self.open[rank] += 1
            if step.kind == 'send':
                blocks = self.blocks(rank, step.left)
                load = [self.get(rank, block) for block in blocks]
                for block in blocks:
                    if self.personal and block[0].startswith('temp'):
                        self.value[rank].pop(block, None)
                self.sent[rank, step.peer].append((step, load, set(self.knows[rank])))
                pairs.append((rank, step.peer))
            else:
                self.wanted[step.peer, rank].append(step)
                pairs.append((step.peer, rank))
        return pairs

    def match(self, pair):
        """Messages of which both ends are posted arrive; returns the ranks that they were for."""
        sender, receiver = pair
        moved = []
        while self.sent[pair] and self.wanted[pair]:
            step, load, known = self.sent[pair].popleft()
            want = self.wanted[pair].popleft()
            if not self.same(step.left, want.dst):
                raise Broken('unmatched', f'rank {sender} to rank {receiver}: other blocks')
            self.landed[receiver].append((want, load, known))
            self.open[sender] -= 1
            self.open[receiver] -= 1
            moved += [sender, receiver]
        return moved

    def finish(self, rank):
        """A stage ends: what was received is there, and the work is done."""
        for step, load, known in self.landed[rank]:
            self.value[rank].update(zip(self.blocks(rank, step.dst), load))
            self.knows[rank] |= known
        self.landed[rank] = []
        for step in self.set.plans[rank].stages[self.stage[rank]]:
            if step.kind == 'copy':
                for to, block in zip(self.blocks(rank, step.dst), self.blocks(rank, step.left)):
                    self.value[rank][to] = self.get(rank, block)
            elif step.kind == 'reduce':
                self.reduce(rank, step)
        self.posted[rank] = False
        self.stage[rank] += 1

    def reduce(self, rank, step):
        for to, a, b in zip(*(self.blocks(rank, span) for span in step.spans())):
            left, right = self.get(rank, a), self.get(rank, b)
            sequence = left[0] + right[0]
            if len(set(sequence)) < len(sequence):
                raise Broken('contribution', f'rank {rank} reduces {sequence}')
            if 'noncommutative' in self.set.flags and sequence != tuple(
                    range(sequence[0], sequence[0] + len(sequence))):
                raise Broken('order', f'rank {rank} reduces {sequence}')
            self.value[rank][to] = (sequence, (left[1], right[1]))

    def run(self):
        """All events, until none is left."""
        for rank, plan in enumerate(self.set.plans):
            for stage in plan.stages:
                self.check_stage(rank, stage)
            if self.goal == 'reduce_scatter_block':
                self.check_overwritten(rank)
        ready = deque(range(self.size))
        while ready:
            rank = ready.popleft()
            if self.posted[rank] and self.open[rank] == 0:
                self.finish(rank)
            while not self.posted[rank] and self.stage[rank] < len(self.set.plans[rank].stages):
                for pair in self.post(rank):
                    ready.extend(self.match(pair))
                if self.open[rank] == 0:
                    self.finish(rank)
        if any(self.posted):
            raise Broken('deadlock', f'rank {self.posted.index(True)} waits for ever')

    # ---- results ----

    def by_halves(self, low, high):
        middle = low + (high - low + 1) // 2
        return low if high - low == 1 else (self.by_halves(low, middle),
                                            self.by_halves(middle, high))

    def expected(self, rank, block):
        """The ranks whose contributions a block of a result has."""
        if self.goal == 'allgather':
            return [block]
        if self.goal == 'bcast':
            return [self.set.root]
        return list(range({'scan': rank + 1, 'exscan': rank}.get(self.goal, self.size)))

    def check_block(self, rank, block, trees):
        value = self.value[rank].get(('recvbuf', block))
        where = f'rank {rank}, block {block}: {value}'
        if self.personal:
            if value != ((rank + block) % self.size, rank):
                raise Broken('contribution', where)
            return
        ranks = self.expected(rank, block)
        if value is None or sorted(value[0]) != ranks:
            raise Broken('contribution', where)
        if 'noncommutative' in self.set.flags and list(value[0]) != ranks:
            raise Broken('order', where)
        if 'halves' in self.set.flags and value[1] != self.by_halves(0, len(ranks)):
            raise Broken('bracketing', where)
        if self.goal == 'allreduce' and trees.setdefault(block, value[1]) != value[1]:
            raise Broken('bracketing', where)

    def check_results(self):
        trees = {}
        for rank in range(self.size):
            if self.goal == 'barrier' and len(self.knows[rank]) < self.size:
                raise Broken('contribution', f'rank {rank} leaves the barrier too early')
            first, count = self.user[rank][1]
            for block in range(first, first + count if self.takes(rank) else first):
                self.check_block(rank, block, trees)


def judge(plan_set):
    """(kind of error or ok, the error)."""
    try:
        one = Judge(plan_set)
        one.run()
        one.check_results()
    except Broken as error:
        return error.kind, str(error)
    return 'ok', 'ok'


def main():
    compare = sys.argv[1:2] == ['--compare']
    files = sys.argv[2 if compare else 1:]
    table, differ, broken = Counter(), 0, 0
    for name in files or ['-']:
        with open(0 if name == '-' else name, encoding='ascii') as text:
            for plan_set in read(text):
                kind, error = judge(plan_set)
                broken += kind != 'ok'
                if not compare:
                    print(f'{plan_set.name} {plan_set.collective}: {error}')
                    continue
                table[plan_set.verifier, kind] += 1
                if (plan_set.verifier == 'ok') != (kind == 'ok'):
                    differ += 1
                    print(f'differ on {plan_set.name}: verifier {plan_set.verifier}, judge {error}')
    if not compare:
        return 1 if broken else 0
    print(f'{"verifier":14} {"judge":14} plan sets')
    for (ours, theirs), count in sorted(table.items(), key=str):
        print(f'{ours or "-":14} {theirs:14} {count:9}')
    print(f'{sum(table.values())} plan sets, {differ} on which the two differ')
    return 1 if differ or not table else 0


if __name__ == '__main__':
    sys.exit(main())
