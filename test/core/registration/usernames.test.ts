/** Reserved usernames. */
import t from 'tap'
import { isReservedUsername } from '../../../core/registration/usernames.js'
import { testConfig } from '../../support/coffer.js'

const config = testConfig('/nowhere', {
  publicUrl: 'https://vault.example.com',
  service: { name: 'My Platform' },
  registration: { reservedUsernames: ['Chosen'] }
})

/** Current and future routes, names of API resources, and names that impersonate the operator. */
const reserved = `
  .well-known access accesses account admin administrator assets audit auth change-password clean-up-cache cores events favicon favicon.ico
  followed-slices healthz hostings hostmaster metrics postmaster previews profile readyz records register
  reset-password robots security series service shared-secrets signinhub socket socket.io static status streams support system
  reg users webhooks webmaster www
  chosen CHOSEN Admin vault myplatform myplatform-support
`

const free = `robert digits 12345 my-own-name platform-lover vaults accessible admins-friend`

t.test('isReservedUsername', async t => {
  for (const name of words(reserved)) t.ok(isReservedUsername(name, config), name)
  for (const name of words(free)) t.notOk(isReservedUsername(name, config), name)

  t.test('allows usernames that start with a very short platform name', async t => {
    const short = testConfig('/nowhere', { service: { name: 'Me' } })
    t.notOk(isReservedUsername('melanie', short))
  })
})

function words(text: string): string[] {
  return text.trim().split(/\s+/)
}
