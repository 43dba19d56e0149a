-- Barriers: members wait until all parties have arrived.
--
-- KEYS     1 members: set, as of LATCH.ARRIVE  2 channels of those that wait, and how many parties they expect: hash
-- ARGV     member (as owner), parties, ttl, 1 to look only, channel or -, 1 to wait
-- Reply    {1 if it is open, how many have arrived, parties}

if operation == 'arrive' then
  local parties, arrived, expected = tonumber(ARGV[3]), redis.call('SCARD', KEYS[1]), redis.call('HGET', KEYS[2], 'parties')
  if expected and tonumber(expected) ~= parties then
    return redis.error_reply("ERR invalid PARTIES in 'latch.arrive' command")
  end
  if arrived < parties and ARGV[5] ~= '1' then
    local is_first = arrived == 0
    arrived = arrived + redis.call('SADD', KEYS[1], client)
    if is_first then redis.call('PEXPIRE', KEYS[1], ARGV[4]) end
  end
  local waiting = {}
  if arrived >= parties then
    waiting = redis.call('HGETALL', KEYS[2])
    redis.call('DEL', KEYS[2])
  elseif ARGV[7] == '1' then
    redis.call('HSET', KEYS[2], 'parties', ARGV[3], 'of ' .. client, ARGV[6])
    redis.call('PEXPIRE', KEYS[2], ARGV[4])
  elseif expected and redis.call('HDEL', KEYS[2], 'of ' .. client) == 1 and redis.call('HLEN', KEYS[2]) == 1 then
    redis.call('DEL', KEYS[2])
  end
  for index = 1, #waiting, 2 do
    local member = string.match(waiting[index], '^of (.*)$')
    if member and member ~= client then redis.pcall('PUBLISH', waiting[index + 1], '0 ' .. member) end
  end
  return { arrived >= parties and 1 or 0, arrived, parties }
end
