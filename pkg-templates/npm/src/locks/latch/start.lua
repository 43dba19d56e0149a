-- Locks on any Redis or Valkey: exclusive, shared and permits, with leases, fencing tokens and a line in order of arrival;
-- rate limits, tasks that run once, barriers.
--
-- KEYS     1 state  2 holders: hash  3 ends of their leases: sorted set  4 line: sorted set by ticket  5 waiters: hash
--          6 of once and done: result; of several names: five keys for each, those above the names last
--          An exclusive lock without a line needs the state alone. With one key, the reply says if all are needed.
-- ARGV     operation, owner, and what the operation takes
-- Replies  {0 or 1, value, 1 if dead waiters are left: run "leave" until 0}, or {2}: run again with all keys
--
-- acquire  mode (x, s, p), ttl, liveness (0: no wait), channel or -, delay, 1 to steal, permits, their limit,
--          number of names above: {1, token} or {0, milliseconds until the next look}
-- renew    ttl, 1 to go on as shared: {1, milliseconds left} or {0, 0}
-- release  token or 0: {1, 0} also if this token was released before
-- leave    gives up a place in line and a grant that was not claimed, and serves the line
-- check    token
-- run      token, number of names, a command: {1, its reply} or {0}. Keys of the command follow those of the names
-- once     as acquire, or {3, result} if the task is done
-- done     token, result, milliseconds to keep it: {1, 0} also if this result is there
-- limit    see limits.lua; arrive: see barriers.lua
-- inspect  {{owner, mode, permits, token, milliseconds left}...}, {{owner, mode, milliseconds waited}...}
--
-- A waiter's place is a lease that each look renews. A script that frees something grants it to the head of the line. Such a
-- grant lasts as long as the place would have, unless its owner claims it by asking again. A message says in how many
-- milliseconds to look again, or -1 for a lease that was stolen. Nothing depends on its arrival. A head that waits for several
-- names is not granted one of them: it is told to look.

-- Redis 6.2 may need this for writes after TIME.
redis.replicate_commands()

local HOUR_MS = 3600000
-- Dead waiters and ended leases that one run removes.
local BATCH = 64
local LOST_MAX = 16
-- Lowers the tickets of upgrades, which go before all others.
local AHEAD = 1125899906842624
-- Without messages, a waiter looks again after this time for each place.
local STEP_MS = 64
-- Keys of one name.
local KEYS_OF_NAME = 5
local GRANTED, CLAIMED, UPGRADED = '0', '1', '2'

local operation, client = ARGV[1], ARGV[2]
local time = redis.call('TIME')
local micros = time[1] * 1000000 + time[2]
local now = math.floor(micros / 1000)
