#!lua
-- Elects the leader of a cluster, renews its lease, or ends it.
--
-- KEYS[1]  hash of the leader: generation, name, incarnation, expires (ms since 1970, by the clock of Redis), sequence (its last batch),
--          beforeGeneration and beforeSequence (the last batch before its first one); after a hand-over also successor (the incarnation
--          of the process that shall lead next) and reserved (until when nobody else is elected, ms since 1970)
-- ARGV[1]  look, ask, take, renew or resign
-- ARGV[2]  name of the process that asks
-- ARGV[3]  incarnation of the process that asks
-- ARGV[4]  length of the lease, ms
-- ARGV[5]  generation that is taken over, renewed or ended
-- ARGV[6]  channel that is told when a leader resigns
-- ARGV[7]  highest generation that the process has seen: a Redis that has forgotten the latest ones gives none of them again
-- ARGV[8]  with resign: incarnation of the process that shall lead next; empty for any
-- ARGV[9]  with resign: for how many ms nobody else is elected
-- Cost     constant: nine fields read, seven written
--
-- Answers {'elected', generation, generation before, sequence before, name, incarnation and silence (ms) of the leader before}, {'leading'},
-- {'following', generation, sequence, name, incarnation, generation before, sequence before} or {'vacant'}. The leader before is named unless
-- it has resigned; while it has reserved the election for another process, the answer is {'vacant'}. Its silence is the time since it renewed its lease. "look" elects only where nobody leads or the leader has resigned, "ask" also when the
-- lease has ended, "take" also when ARGV[5] leads. A leader that ended without a batch is passed over: what comes before is a batch.
-- Generations grow also when Redis has lost the hash, since they are at least the time in milliseconds. All numbers here have at most 13
-- digits, which doubles hold exactly.
local mode, name, incarnation, lease, expected = ARGV[1], ARGV[2], ARGV[3], tonumber(ARGV[4]), ARGV[5]
local record = redis.call('HMGET', KEYS[1], 'generation', 'sequence', 'name', 'incarnation', 'expires',
  'beforeGeneration', 'beforeSequence', 'successor', 'reserved')
local generation, sequence = record[1], record[2]
local before, last = record[6] or '0', record[7] or '0'
if generation and sequence ~= '0' then before, last = generation, sequence end
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local isOwn = generation and generation == expected and record[4] == incarnation

if mode == 'resign' then
  if isOwn then
    redis.call('HSET', KEYS[1], 'expires', '0')
    if ARGV[8] and ARGV[8] ~= '' then
      redis.call('HSET', KEYS[1], 'successor', ARGV[8], 'reserved', string.format('%.0f', now + tonumber(ARGV[9])))
    end
    redis.call('PUBLISH', ARGV[6], '')
  end
  return {'vacant'}
end
if mode == 'renew' and isOwn then
  redis.call('HSET', KEYS[1], 'expires', string.format('%.0f', now + lease))
  return {'leading'}
end
if mode ~= 'renew' then
  local ends = generation and tonumber(record[5])
  if ends == 0 and record[8] and record[8] ~= incarnation then
    -- Should the clock have been set back, nobody has to wait for it.
    local rest = tonumber(record[9] or 0) - now
    if rest > 0 and rest <= lease then return {'vacant'} end
  end
  local isFree = not generation or ends == 0 or (mode ~= 'look' and ends <= now) or (mode == 'take' and generation == expected)
  if isFree then
    local next = now
    local seen = math.max(tonumber(generation or 0), tonumber(ARGV[7]))
    if seen >= next then next = seen + 1 end
    next = string.format('%.0f', next)
    if record[8] then redis.call('HDEL', KEYS[1], 'successor', 'reserved') end
    redis.call('HSET', KEYS[1], 'generation', next, 'sequence', '0', 'name', name, 'incarnation', incarnation,
      'expires', string.format('%.0f', now + lease), 'beforeGeneration', before, 'beforeSequence', last)
    if not generation or ends == 0 then return {'elected', next, before, last} end
    return {'elected', next, before, last, record[3], record[4], string.format('%.0f', math.max(0, now - (ends - lease)))}
  end
end
if not generation then return {'vacant'} end
return {'following', generation, sequence, record[3], record[4], record[6] or '0', record[7] or '0'}
