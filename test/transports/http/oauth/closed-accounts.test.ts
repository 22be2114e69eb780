/** OAuth on an account scheduled for deletion. (docs/spec/accounts.md#deleting-an-account; docs/api/oauth.md) */
import t from 'tap'
import { coffer, type Answer, type Client, type Service } from '../../../support/coffer.js'
import { agree, app, apps, begin, clientId, exchange, obtain, post, read } from '../../../support/oauth.js'

const scope = 'diary:contribute:Diary offline_access openid'

/** Closes an account as its owner does after signing in again. */
async function close({ service, token, username }: Client): Promise<void> {
  const { status } = await service.http('DELETE', `/users/${username}`, undefined, { authorization: token })
  if (status !== 200) throw new Error(`closing answers ${status}`)
}

async function keep(client: Client): Promise<void> {
  const { body, status } = await client.http('DELETE', '/account/deletion')
  if (status !== 200) throw new Error(JSON.stringify(body))
}

async function refresh(service: Service, token: string): Promise<{ status: number; body: Answer }> {
  return await post(service, '/oauth/token', {
    grant_type: 'refresh_token',
    refresh_token: token,
    client_id: clientId
  })
}

t.test('OAuth on a closed account', async t => {
  t.test('refuses valid credentials without consuming them until the account is kept', async t => {
    const service = await coffer(t, apps(app))
    const bob = await service.user('bobby', { email: 'bob@example.com' })
    const tokens = await obtain(service, bob, { scope })
    const begun = await begin(service, { scope })
    const answered = await agree(service, bob, begun)
    await close(bob)

    const refused = {
      status: 403,
      body: { error: 'access_denied', error_description: /will be deleted on/ }
    }
    t.match(await refresh(service, tokens.refresh_token), refused)
    t.match(await exchange(service, begun, answered), refused)
    t.match(
      await service.http('GET', '/oauth/userinfo', undefined, {
        authorization: `Bearer ${tokens.access_token}`
      }),
      refused
    )
    const asked = await post(service, '/oauth/introspect', {
      token: tokens.access_token,
      client_id: clientId
    })
    t.same(asked.body, { active: false })

    await keep(bob)
    t.match(await exchange(service, begun, answered), { status: 200 })
    t.match(await refresh(service, tokens.refresh_token), { status: 200, body: { refresh_token: String } })
  })

  t.test('lets a client revoke its tokens', async t => {
    const service = await coffer(t, apps(app))
    const bob = await service.user('bobby', { email: 'bob@example.com' })
    const tokens = await obtain(service, bob, { scope })
    await close(bob)
    const given = await post(service, '/oauth/revoke', { token: tokens.refresh_token, client_id: clientId })
    t.equal(given.status, 200)
    await keep(bob)
    t.match(await read(service, 'bobby', tokens.access_token), { error: { id: 'invalid-access-token' } })
    t.match(await refresh(service, tokens.refresh_token), { status: 400, body: { error: 'invalid_grant' } })
  })

  t.test('reveals no more to strangers than on an open account, or on none', async t => {
    const service = await coffer(t, apps(app))
    const bob = await service.user('bobby', { email: 'bob@example.com' })
    await service.user('carlo')
    await close(bob)
    const forms = [
      ['token', { grant_type: 'refresh_token', refresh_token: 'USER.a.b' }],
      ['token', { grant_type: 'refresh_token' }],
      ['token', { grant_type: 'authorization_code', code: 'a.b', code_verifier: 'c' }],
      ['token', { grant_type: 'authorization_code', code: 'a.b' }],
      ['token', { grant_type: 'authorization_code' }],
      ['token', { grant_type: 'other' }],
      ['token', {}],
      ['revoke', { token: 'USER.a.b' }],
      ['introspect', { token: 'USER.a.b' }],
      ['introspect', {}]
    ] as const
    const answersOf = async (user: string): Promise<Answer[]> => {
      const answers: Answer[] = []
      for (const [path, form] of forms) {
        const sent = JSON.parse(JSON.stringify({ ...form, client_id: clientId }).replaceAll('USER', user))
        const atRoot = await post(service, `/oauth/${path}`, sent)
        const { body, status } = await service.http('POST', `/${user}/oauth/${path}`, sent)
        answers.push([atRoot.status, atRoot.body, status, { ...body, meta: undefined }])
      }
      return answers
    }
    const open = await answersOf('carlo')
    t.same(await answersOf('bobby'), open)
    t.same(await answersOf('nobody'), open)
  })
})
