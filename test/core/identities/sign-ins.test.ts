/** Signing in by a provider, from the start to a session. (docs/spec/identities.md) */
import t from 'tap'
import { withProvider } from '../../support/identity-provider.js'
import { SignInVisitor } from '../../support/sign-in-visitor.js'

t.test('a sign-in by a provider', async t => {
  t.test('ends with a session like any other, once the identity is linked', async t => {
    const { service, provider, visitor } = await withProvider(t)
    provider.person = {
      sub: 'r1',
      email: 'robin@example.com',
      email_verified: true,
      preferred_username: 'Robin.H'
    }
    const first = await visitor.go()
    t.equal(first.problem, undefined)
    t.match(await visitor.lookUp(first.ticket), {
      provider: { name: 'work', label: 'Work' },
      registration: { username: 'robin-h', email: 'robin@example.com', isOpen: false, isEmailTaken: false }
    })
    const registered = await visitor.register('robin', first.ticket)
    t.match(registered, { username: 'robin', apiEndpoint: /robin/ }, JSON.stringify(registered))

    const again = await visitor.go()
    t.match(await visitor.lookUp(again.ticket), { username: 'robin', registration: undefined })
    const session = await visitor.signIn('robin', again.ticket)
    t.match(session, { token: String, apiEndpoint: /robin/, preferredLanguage: 'en' })
    const { identities, hasPassword, isSpare } = (
      await service.http('GET', '/robin/identities', undefined, { authorization: session.token })
    ).body
    t.same([hasPassword, isSpare], [false, false])
    t.match(identities, [
      {
        provider: { label: 'Work' },
        email: 'robin@example.com',
        isUsable: true,
        lastUsed: service.clock.now()
      }
    ])
    t.notMatch(JSON.stringify(identities), 'r1', 'the subject is for the provider')
  })
})
