/** SMART App Launch: a standalone app walks from the base URL of FHIR to the data, with clients of others. */
import { createLocalJWKSet, jwtVerify } from 'jose'
import { Client as FhirClient } from 'fhir-kit-client'
import * as oauth from 'oauth4webapi'
import t, { type Test } from 'tap'
import { coffer, type Answer, type Client, type Service } from '../../support/coffer.js'
import { callBound, createHolder, makeProof } from '../../support/key-proofs.js'
import {
  agree,
  app,
  apps,
  begin,
  clientId,
  exchange,
  obtain,
  post,
  redirectUri
} from '../../support/oauth.js'

const insecure = { [oauth.allowInsecureRequests]: true }
const scope = 'launch/patient openid fhirUser offline_access patient/*.read'

interface Setup {
  readonly alice: Client
  readonly service: Service
  /** The base URL of FHIR. */
  readonly aud: string
}

async function setUp(t: Test): Promise<Setup> {
  const service = await coffer(t, { ...apps(app), oauth: { registration: true } })
  const { alice } = service
  await alice.stream('body')
  for (const id of ['weight', 'heart', 'steps', 'glucose', 'luggage']) await alice.stream(id, 'body')
  await alice.stream('diary')
  const add = async (stream: string, type: string, content: unknown): Promise<Answer> =>
    await alice.event({ streamIds: [stream], type, content })
  await add('weight', 'mass/kg', 71)
  await add('luggage', 'mass/kg', 20)
  await add('heart', 'frequency/bpm', 60)
  await add('steps', 'count/steps', 500)
  await add('glucose', 'density/mmol-l', 5)
  await add('diary', 'note/txt', 'secret')
  return { alice, service, aud: `${service.server.url}/alice/fhir` }
}

/** Returns the streams that the service proposes for a scope, as the consent page gets them. */
async function listProposed({ alice, aud, service }: Setup, asked: string): Promise<string[]> {
  const { location } = await begin(service, { aud, scope: asked })
  const key = location.searchParams.get('key')!
  const { clientData, requestedPermissions, requestingAppId } = await service.call(
    undefined,
    'authRequest.poll',
    {
      key
    }
  )
  const { checkedPermissions, streams } = await alice.do('accesses.checkApp', {
    requestingAppId,
    requestedPermissions,
    requestKey: key,
    clientData
  })
  const ids = checkedPermissions.map(({ streamId }: Answer) => streamId)
  if (checkedPermissions.some(({ level }: Answer) => level !== 'read'))
    throw new Error('not only for reading')
  if (ids.length !== streams.length) throw new Error('not all are described')
  return ids
}

t.test('a SMART app', async t => {
  const setup = await setUp(t)
  const { alice, aud, service } = setup

  t.test('walks from the base URL to the data', async t => {
    const fhir = new FhirClient({ baseUrl: aud })
    const { authorizeUrl, tokenUrl } = await fhir.smartAuthMetadata()
    const answer = await fetch(`${aud}/.well-known/smart-configuration`)
    t.equal(answer.headers.get('access-control-allow-origin'), '*')
    const config: Answer = await answer.json()
    const inXml = { headers: { accept: 'application/fhir+xml' } }
    const again = await fetch(`${aud}/.well-known/smart-configuration?_format=xml`, inXml)
    t.same(await again.json(), config, 'JSON, whatever is accepted')
    t.equal(String(authorizeUrl), config.authorization_endpoint)
    t.equal(String(tokenUrl), config.token_endpoint)
    t.same(config.code_challenge_methods_supported, ['S256'])
    t.ok(config.capabilities.includes('launch-standalone'))

    const server = { issuer: config.issuer, token_endpoint: config.token_endpoint }
    const client = { client_id: clientId }
    const verifier = oauth.generateRandomCodeVerifier()
    const url = new URL(config.authorization_endpoint)
    const params = {
      response_type: 'code',
      client_id: clientId,
      redirect_uri: redirectUri,
      scope,
      state: 'a-state',
      aud,
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256'
    }
    url.search = String(new URLSearchParams(params))
    const { headers } = await fetch(url, { redirect: 'manual' })
    const callback = await agree(service, alice, { location: new URL(headers.get('location')!) })
    const code = oauth.validateAuthResponse(
      { ...server, authorization_response_iss_parameter_supported: true },
      client,
      callback,
      'a-state'
    )
    const response = await oauth.authorizationCodeGrantRequest(
      server,
      client,
      oauth.None(),
      code,
      redirectUri,
      verifier,
      insecure
    )
    t.match(Object.fromEntries(response.headers), { 'cache-control': 'no-store', pragma: 'no-cache' })
    const tokens: Answer = await response.json()
    t.match(tokens, {
      token_type: 'Bearer',
      patient: /^[0-9a-f]{32}$/,
      refresh_token: String,
      id_token: String
    })
    for (const each of scope.split(' ')) t.ok(tokens.scope.split(' ').includes(each), each)

    const keys = createLocalJWKSet((await (await fetch(config.jwks_uri)).json()) as Answer)
    const { payload } = await jwtVerify(tokens.id_token, keys, {
      issuer: config.issuer,
      audience: clientId,
      currentDate: new Date(service.clock.now() * 1000)
    })
    t.equal(payload['fhirUser'], `${aud}/Patient/${tokens.patient}`)

    const known = { client_id: clientId, token: tokens.access_token }
    const introspected = await post(service, '/oauth/introspect', known)
    t.match(introspected.body, { active: true, patient: tokens.patient, fhirUser: payload['fhirUser'] })

    fhir.bearerToken = tokens.access_token
    const patient: Answer = await fhir.read({ resourceType: 'Patient', id: tokens.patient })
    t.equal(patient.id, tokens.patient)
    const found: Answer = await fhir.search({
      resourceType: 'Observation',
      searchParams: { patient: tokens.patient, category: 'vital-signs' }
    })
    t.equal(found.total, 2)
    const diary = await service.http('GET', '/alice/events?streams[]=diary', undefined, {
      authorization: tokens.access_token
    })
    t.equal(diary.status, 403, 'the diary was not part of it')

    const renewed = await oauth.refreshTokenGrantRequest(
      server,
      client,
      oauth.None(),
      tokens.refresh_token,
      insecure
    )
    t.match(await renewed.json(), { patient: tokens.patient, access_token: String })
  })

  t.test('launches without offline access, with a token that does not look like a JWT', async t => {
    const tokens = await obtain(service, alice, {
      aud,
      scope: 'launch/patient openid fhirUser patient/*.read'
    })
    t.notOk('expires_in' in tokens || 'refresh_token' in tokens)
    // fhirclient decodes what comes after the first dot, where an answer has no `expires_in`.
    t.equal(tokens.access_token.split('.').length, 1)
    const fhir = new FhirClient({ baseUrl: aud, bearerToken: tokens.access_token })
    const patient: Answer = await fhir.read({ resourceType: 'Patient', id: tokens.patient })
    t.equal(patient.id, tokens.patient)
  })

  t.test('gets the streams that its scopes are about, and the user changes them', async t => {
    const vital = ['heart', 'weight']
    t.same(await listProposed(setup, 'patient/Observation.rs'), ['glucose', 'heart', 'steps', 'weight'])
    t.same(await listProposed(setup, 'patient/Observation.rs?category=vital-signs'), vital)
    t.same(
      await listProposed(
        setup,
        'patient/Observation.rs?category=http://terminology.hl7.org/CodeSystem/observation-category|laboratory'
      ),
      ['glucose']
    )
    t.same(
      await listProposed(
        setup,
        'patient/Observation.rs?category=vital-signs patient/Observation.s?category=activity'
      ),
      ['heart', 'steps', 'weight']
    )
    t.same(await listProposed(setup, 'patient/Observation.rs?code=http://loinc.org|29463-7'), ['weight'])
    t.same(
      await listProposed(
        setup,
        'patient/Observation.rs?code=8867-4 patient/Observation.rs?category=laboratory patient/Observation.rs?code=http://snomed.info/sct|1'
      ),
      ['glucose', 'heart']
    )
    t.same(await listProposed(setup, 'patient/Observation.rs?code=1234-5'), [], 'nothing has this code')
    t.same(await listProposed(setup, 'patient/Patient.r'), [])
    t.same(await listProposed(setup, 'patient/QuestionnaireResponse.rs'), [], 'there are none')
    t.same(await listProposed(setup, 'patient/Observation.rs?category=vital-signs diary:read'), [
      'diary',
      ...vital
    ])

    const other = { ...setup, alice: await service.user('bobby') }
    await t.rejects(listProposed(other, 'patient/Observation.rs'), { message: /alice/ }, 'another account')

    const asked = 'patient/Observation.rs patient/Patient.rs'
    const begun = await begin(service, { aud, scope: asked })
    // Like the page, when the user clears all boxes but one.
    const chooser = {
      username: alice.username,
      token: alice.token,
      do: async (method: string, params: Answer = {}): Promise<Answer> =>
        await alice.do(method, {
          ...params,
          ...(method === 'accesses.create' && {
            permissions: params.permissions.filter(({ streamId }: Answer) => streamId === 'heart')
          })
        })
    }
    const { body } = await exchange(service, begun, await agree(service, chooser, begun))
    t.equal(body.scope, 'patient/Observation.rs patient/Patient.rs heart:read')
    const { entry }: Answer = await new FhirClient({ baseUrl: aud, bearerToken: body.access_token }).search({
      resourceType: 'Observation'
    })
    t.same(
      entry.map(({ resource }: Answer) => resource.code.text),
      ['heart']
    )

    const again = await begin(service, { aud, scope: asked })
    const { body: second } = await exchange(service, again, await agree(service, alice, again))
    t.equal(second.scope, body.scope, 'the choice stays when the app asks again')
  })

  t.test('keeps a choice that withholds a stream below another', async t => {
    const own = await service.user('carol')
    await own.stream('pulse')
    await own.stream('heart-at-night', 'pulse')
    for (const id of ['pulse', 'heart-at-night'])
      await own.event({ streamIds: [id], type: 'frequency/bpm', content: 60 })
    const request = { aud: `${service.server.url}/carol/fhir`, scope: 'patient/Observation.rs' }
    const chooser = {
      username: own.username,
      token: own.token,
      do: async (method: string, params: Answer = {}): Promise<Answer> =>
        await own.do(method, {
          ...params,
          ...(method === 'accesses.create' && {
            permissions: params.permissions.map(({ level, streamId }: Answer) => ({
              streamId,
              level: streamId === 'pulse' ? level : 'none'
            }))
          })
        })
    }
    const begun = await begin(service, request)
    const { body } = await exchange(service, begun, await agree(service, chooser, begun))
    t.equal(body.scope, 'patient/Observation.rs heart-at-night:none pulse:read')
    const events = await service.call('carol', 'events.get', {}, body.access_token)
    t.same(
      events.events.map(({ streamIds }: Answer) => streamIds),
      [['pulse']]
    )
    const again = await begin(service, request)
    const { body: second } = await exchange(service, again, await agree(service, own, again))
    t.equal(second.scope, body.scope)
  })

  t.test('that reads responses gets the streams that hold some', async t => {
    for (const id of ['visits', 'records', 'labs']) await alice.stream(id)
    const status = 'completed'
    const response = { resourceType: 'QuestionnaireResponse', status }
    await alice.event({ streamIds: ['visits'], type: 'questionnaire/response', content: response })
    const record = { type: 'clinical/fhir', content: { displayName: 'x', clinicalType: 'labResultRecord' } }
    const lab = { 'fhir:resource': { resourceType: 'Observation', status: 'final', code: {} } }
    for (const [stream, clientData] of [
      ['records', { 'fhir:resource': response }],
      ['records', lab],
      ['labs', lab]
    ] as const)
      await alice.event({ ...record, streamIds: [stream], clientData })
    t.same(await listProposed(setup, 'patient/QuestionnaireResponse.rs'), ['records', 'visits'])
    t.same(await listProposed(setup, 'patient/DocumentReference.rs'), [])
    const tokens = await obtain(service, alice, { aud, scope: 'patient/QuestionnaireResponse.read' })
    t.equal(tokens.scope, 'patient/QuestionnaireResponse.read records:read visits:read')
  })

  t.test('gets the streams with imported resources of the kind that it asks for', async t => {
    const record = { type: 'clinical/fhir', content: { displayName: 'x', clinicalType: 'labResultRecord' } }
    const code = { coding: [{ system: 'http://loinc.org', code: '8302-2' }] }
    const erin = await service.user('erin')
    for (const [stream, resource] of Object.entries({
      illnesses: { resourceType: 'Condition', code },
      bloods: {
        resourceType: 'Observation',
        status: 'final',
        code: {},
        category: [{ coding: [{ code: 'laboratory' }] }]
      },
      vitals: {
        resourceType: 'Observation',
        status: 'final',
        code,
        category: [{ coding: [{ code: 'vital-signs' }] }]
      },
      odd: { resourceType: 'Observation', code: [{}], category: { coding: 'vital-signs' } }
    })) {
      await erin.stream(stream)
      await erin.event({ ...record, streamIds: [stream], clientData: { 'fhir:resource': resource } })
    }
    const own = { ...setup, alice: erin, aud: `${service.server.url}/erin/fhir` }
    for (const [scope, streams] of Object.entries({
      'patient/Observation.rs?category=vital-signs': ['vitals'],
      'patient/Observation.rs?category=laboratory': ['bloods'],
      'patient/Observation.rs?code=8302-2': ['vitals'],
      'patient/Observation.rs': ['bloods', 'odd', 'vitals'],
      'patient/DocumentReference.rs': []
    }))
      t.same(await listProposed(own, scope), streams, scope)
  })

  t.test('gets less than it asks for, never more', async t => {
    const tokens = await obtain(service, alice, {
      aud,
      scope:
        'launch launch/patient patient/*.* patient/Condition.read user/*.cruds system/*.rs patient/Observation.write patient/Observation.cruds?category=x'
    })
    t.match(tokens.scope, /^launch\/patient patient\/\*\.read /)
    t.notMatch(tokens.scope, /manage|contribute|user|system|Condition|write/)
    t.notOk('id_token' in tokens)
    for (const unserved of [
      'patient/Condition.read user/*.read',
      'patient/Observation.write',
      'patient/*.write',
      'patient/Observation.cud'
    ]) {
      const { location } = await begin(service, { aud, scope: unserved })
      t.equal(location.searchParams.get('error'), 'invalid_scope', unserved)
    }
    t.same(await listProposed(setup, 'patient/Patient.read patient/Observation.write'), [], 'only to write')
  })

  t.test('is refused unless it names the base URL as the audience', async t => {
    for (const wrong of [
      undefined,
      'https://elsewhere.example/alice/fhir',
      `${service.server.url}/alice`,
      `${service.server.url}/alice/mcp`,
      `${aud}/Patient`,
      `${aud}?x=1`,
      service.server.url
    ]) {
      const { location } = await begin(service, { aud: wrong, scope })
      t.match(location.searchParams.get('error'), /^invalid_(?:request|target)$/, String(wrong))
    }
    t.notOk((await begin(service, { aud: `${aud}/`, scope })).location.searchParams.get('error'))
    const plain = await begin(service, { aud: 'https://elsewhere.example' })
    t.notOk(plain.location.searchParams.get('error'), 'without scopes of SMART it has no meaning')
    t.notOk('patient' in (await obtain(service, alice)))
  })

  t.test('refreshes with the scope that it asked for, but with no other', async t => {
    const asked = 'launch/patient offline_access patient/Observation.rs?category=vital-signs'
    const tokens = await obtain(service, alice, { aud, scope: asked })
    t.ok(tokens.scope.startsWith(`${asked} heart:read `), tokens.scope)
    let refreshToken: string = tokens.refresh_token
    const refresh = async (wanted: string): Promise<Answer> =>
      await post(service, '/oauth/token', {
        grant_type: 'refresh_token',
        client_id: clientId,
        refresh_token: refreshToken,
        scope: wanted
      })
    for (const wrong of [
      'launch/patient offline_access',
      `${asked} heart:contribute`,
      `${asked} kitchen:read`,
      `${asked} patient/DocumentReference.rs`,
      'launch/patient offline_access patient/Observation.rs',
      'heart:read weight:read'
    ])
      t.match(await refresh(wrong), { status: 400, body: { error: 'invalid_scope' } }, wrong)
    for (const same of [asked, `user/*.cruds ${asked} launch`, tokens.scope]) {
      const { body, status } = await refresh(same)
      t.equal(status, 200, same)
      t.match(body, { access_token: tokens.access_token, scope: tokens.scope, patient: tokens.patient })
      refreshToken = body.refresh_token
    }
    const mixed = `${asked} diary:read`
    const others = await obtain(service, alice, { aud, scope: mixed })
    t.match(others.scope, / heart:read/)
    refreshToken = others.refresh_token
    t.match(await refresh(`${asked} diary:contribute`), { status: 400, body: { error: 'invalid_scope' } })
    t.match(await refresh(mixed), { status: 200, body: { scope: others.scope } })
  })

  t.test('gets nothing with a wrong verifier, another redirect URI or a used code', async t => {
    const search = async (token: string): Promise<number> =>
      (await service.http('GET', '/alice/fhir/Observation', undefined, { authorization: token })).status
    const attempt = async (fields: Record<string, string | undefined>): Promise<Answer> => {
      const begun = await begin(service, {
        aud,
        scope: 'patient/Observation.rs offline_access',
        state: 'own'
      })
      const callback = await agree(service, alice, begun)
      t.equal(callback.searchParams.get('state'), 'own')
      const { body } = await exchange(service, begun, callback, fields)
      return { ...body, again: () => exchange(service, begun, callback) }
    }
    const wrong: Record<string, Record<string, string | undefined>> = {
      'a wrong verifier': { code_verifier: 'x'.repeat(43) },
      'no verifier': { code_verifier: undefined },
      'another redirect URI': { redirect_uri: 'https://diary.example.com/other' },
      'another client': { client_id: 'another-client' }
    }
    for (const [what, fields] of Object.entries(wrong)) {
      const refused = await attempt(fields)
      t.match(refused.error, /^invalid_(?:client|grant|request)$/, what)
      t.notOk('access_token' in refused)
    }
    const tokens = await attempt({})
    t.equal(await search(tokens.access_token), 200)
    t.match((await tokens.again()).body, { error: 'invalid_grant' })
    t.equal(await search(tokens.access_token), 401, 'a used code ends the access')
    const refreshed = await post(service, '/oauth/token', {
      grant_type: 'refresh_token',
      client_id: clientId,
      refresh_token: tokens.refresh_token
    })
    t.match(refreshed, { status: 400, body: { error: 'invalid_grant' } })
    const { location } = await begin(service, {
      aud,
      scope: 'patient/Observation.rs',
      redirect_uri: 'https://other.example'
    })
    t.equal(location.href, 'none:', 'the user is not sent to an unknown address')
  })

  t.test('loses its data once the user ends the access', async t => {
    const { access_token: token, refresh_token } = await obtain(service, alice, { aud, scope })
    const path = '/alice/fhir/Observation'
    const headers = { authorization: `Bearer ${token}` }
    t.equal((await service.http('GET', path, undefined, headers)).status, 200)
    const { accesses } = await alice.do('accesses.get')
    const held = accesses.find((access: Answer) => access.token === token)
    await alice.do('accesses.delete', { id: held.id })
    const refused = await service.http('GET', path, undefined, headers)
    t.match(refused, { status: 401, body: { resourceType: 'OperationOutcome', issue: [{ code: 'login' }] } })
    const form = { grant_type: 'refresh_token', client_id: clientId, refresh_token: refresh_token as string }
    t.match(await post(service, '/oauth/token', form), { status: 400, body: { error: 'invalid_grant' } })
  })

  t.test('can bind its token to a key', async t => {
    const holder = await createHolder()
    const begun = await begin(service, { aud, scope })
    const answered = await agree(service, alice, begun)
    const url = `${service.server.url}/oauth/token`
    const proof = await makeProof(holder, { verb: 'POST', url, now: service.clock.now() })
    const form = {
      grant_type: 'authorization_code',
      code: answered.searchParams.get('code')!,
      redirect_uri: redirectUri,
      client_id: clientId,
      code_verifier: begun.verifier
    }
    const response = await fetch(url, {
      method: 'POST',
      headers: { dpop: proof },
      body: new URLSearchParams(form)
    })
    const tokens: Answer = await response.json()
    t.equal(tokens.token_type, 'DPoP')
    const path = '/alice/fhir/Observation?category=vital-signs'
    const token: string = tokens.access_token
    t.match(await callBound(service, holder, token, ['GET', path]), { status: 200, body: { total: 2 } })
    const elsewhere = { claims: { htu: `${service.server.url}/alice/events` } }
    const refused = await callBound(service, holder, token, ['GET', path], elsewhere)
    t.match(refused, { status: 401, body: { resourceType: 'OperationOutcome' } })
    t.match(refused.headers.get('www-authenticate'), /^DPoP /)
    t.equal((await service.http('GET', path, undefined, { authorization: `Bearer ${token}` })).status, 401)
  })

  t.test('registers itself with the scopes that can be granted', async t => {
    const { body } = await service.http('POST', '/oauth/register', {
      redirect_uris: ['https://app.example/callback'],
      token_endpoint_auth_method: 'none',
      scope: 'launch launch/patient openid fhirUser patient/*.read user/*.* patient/Condition.rs'
    })
    t.equal(body.scope, 'launch/patient openid fhirUser patient/*.read')
    const asked = { client_id: body.client_id, redirect_uri: 'https://app.example/callback', aud }
    const { location } = await begin(service, { ...asked, scope: 'launch/patient patient/Observation.rs' })
    t.notOk(location.searchParams.get('error'), 'a part of what it is allowed')
  })
})
