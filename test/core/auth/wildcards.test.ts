/** What `*` matches, and what it does not. */
import t from 'tap'
import { matches, matchesOrigin } from '../../../core/auth/wildcards.js'
import { assertTakesLessThan, stopwatch } from '../../support/probe.js'

t.test('a pattern', async t => {
  const cases = [
    ['abc', 'abc', true],
    ['abc', 'abcd', false],
    ['abc', 'xabc', false],
    ['*', 'anything-at_all', true],
    ['*', '', true],
    ['a*c', 'abbbc', true],
    ['a*c', 'abcbc', true],
    ['a*c', 'abcb', false],
    ['a*b*c', 'aXbXbXc', true],
    ['*-app', 'my-app', true],
    ['*-app', 'my-apple', false],
    ['a*', 'a b', false],
    ['a.c', 'abc', false],
    ['(a+)+', '(a+)+', true]
  ] as const
  for (const [pattern, text, isMatch] of cases)
    t.equal(matches(pattern, text), isMatch, `${pattern} ${isMatch ? 'covers' : 'does not cover'} ${text}`)
})

t.test('a pattern of an origin', async t => {
  const cases = [
    ['https://app.example.com', 'https://app.example.com', true],
    ['https://app.example.com', 'https://app.example.com/', false],
    ['https://app.example.com', 'http://app.example.com', false],
    ['https://app.example.com', 'https://app.example.com.evil.com', false],
    ['https://*.example.com', 'https://app.example.com', true],
    ['https://*.example.com', 'https://a.b.example.com', true],
    ['https://*.example.com', 'https://example.com', false],
    ['https://*.example.com', 'https://evil.com/.example.com', false],
    ['https://*.example.com', 'https://evil.com?.example.com', false],
    ['https://*.example.com', 'https://evil.com#.example.com', false],
    ['https://*.example.com', 'https://evil.com\\.example.com', false],
    ['https://*.example.com', 'https://user@evil.com/@.example.com', false],
    ['https://*.example.com', 'https://evil com.example.com', false],
    ['https://*.example.com*', 'https://app.example.com', true],
    ['https://*.example.com*', 'https://app.example.com:8443', true],
    ['https://*.example.com*', 'https://app.example.com/some/path?a=b', true],
    ['https://*.example.com*', 'https://app.example.com:8443/path', true],
    ['https://*.example.com*', 'https://app.example.com.evil.com', false],
    ['https://*.example.com*', 'https://app.example.comevil', false],
    ['https://*.example.com*', 'https://app.example.com@evil.com', false],
    ['https://*.example.com*', 'https://evil.com/app.example.com/', false],
    ['https://*.example.com/*', 'https://app.example.com/', true],
    ['https://*.example.com/*', 'https://app.example.com/path', true],
    ['https://*.example.com/*', 'https://app.example.com', false],
    ['https://example.com/apps/*/x', 'https://example.com/apps/one/two/x', true],
    ['https://example.com/apps/*/x', 'https://example.com/other/x', false],
    ['http://[::1]*', 'http://[::1]:3000/x', true],
    ['http://[::1]*', 'http://[::1]', true],
    ['http://[::1]*', 'http://[::1].evil.com', false],
    ['http://[::1]*', 'http://[::1]evil.com', false],
    ['http://localhost:*', 'http://localhost:3000', true],
    ['http://localhost*', 'http://localhost:3000/', true],
    ['http://localhost:30*', 'http://localhost:3000', true],
    ['https://app.*', 'https://app.example.com', true],
    ['*://app.example.com', 'https://app.example.com', true],
    ['app://*', 'app://anything', true]
  ] as const
  for (const [pattern, url, isMatch] of cases)
    t.equal(
      matchesOrigin(pattern, url),
      isMatch,
      `${pattern} ${isMatch ? 'covers' : 'does not cover'} ${url}`
    )

  t.test('is matched in time proportional to its length', async t => {
    await assertTakesLessThan(t, 200, () => {
      const elapsed = stopwatch()
      matches(`${'*a'.repeat(25)}b`, 'a'.repeat(2000))
      matchesOrigin(`https://${'*a'.repeat(25)}b`, `https://${'a'.repeat(2000)}`)
      return elapsed()
    })
  })
})
