/** Settings as displayed to operators: secrets stay secret. */
import t from 'tap'
import { Value } from 'typebox/value'
import { settingsList } from '../../../core/settings/list.js'
import { Settings } from '../../../core/settings/settings.js'
import { listPublicSettings } from '../../../core/settings/public-settings.js'

const mark = 'never-to-be-shown'

/** Returns a value for a secret of any type. */
const secretOf = (standard: unknown): unknown =>
  typeof standard === 'string' ? mark : standard === null ? [mark] : { 'X-Key': mark }

function settingsWith(wanted: (isSecret: boolean) => boolean): Settings {
  const settings = Value.Default(Settings, {}) as Record<string, unknown>
  for (const { isSecret, path, defaultValue } of settingsList) {
    if (!wanted(isSecret)) continue
    const group = path.slice(0, -1).reduce((node, name) => node[name] as Record<string, unknown>, settings)
    group[path.at(-1)!] = isSecret
      ? secretOf(defaultValue)
      : typeof defaultValue === 'string'
        ? mark
        : defaultValue
  }
  return settings as Settings
}

/** Returns how the URL of a mail service is displayed. */
const shownAs = (url: string): unknown => {
  const settings = Value.Default(Settings, {}) as Settings
  settings.services.email.http.url = url
  return listPublicSettings(settings).find(({ key }) => key === 'services.email.http.url')?.value
}

t.test('listPublicSettings', async t => {
  t.test('masks all secrets', async t => {
    const shown = listPublicSettings(settingsWith(isSecret => isSecret))
    t.notMatch(JSON.stringify(shown), mark)
    const secrets = shown.filter(({ isSecret }) => isSecret)
    t.ok(secrets.length >= 14, `${secrets.length} secrets`)
    t.ok(secrets.every(({ isStandard }) => !isStandard))
    t.ok(secrets.every(setting => !('value' in setting)))
  })

  t.test('removes usernames and passwords from URLs', async t => {
    const settings = Value.Default(Settings, {}) as Settings
    settings.services.email.http.url = `https://coffer:${mark}@mail.example/send/`
    settings.backup.s3.endpoint = `http:\\\\${mark}@[::1]:9000`
    const shown = listPublicSettings(settings)
    t.notMatch(JSON.stringify(shown), mark)
    t.same(
      shown.filter(({ isStandard }) => !isStandard).map(({ value }) => value),
      ['https://…@mail.example/…', 'http://…@[::1]:9000']
    )
  })

  t.test('removes credentials from the addresses of a cluster', async t => {
    const settings = Value.Default(Settings, {}) as Settings
    settings.cluster.engine = `nats://coffer:${mark}@one:4222, tls://${mark}@two:4222,nats://three:4222`
    settings.cluster.engineMonitors = `http://coffer:${mark}@one:8222/,http://coffer:${mark}@two:8222`
    settings.cluster.objects = `s3://key:${mark}@bucket/folder?endpoint=http://three:9000`
    const shown = listPublicSettings(settings)
    t.notMatch(JSON.stringify(shown), mark)
    t.same(
      shown.filter(({ isStandard }) => !isStandard).map(({ value }) => value),
      [
        'nats://…@one:4222, tls://…@two:4222,nats://three:4222',
        'http://…@one:8222/,http://…@two:8222',
        's3://…@bucket/folder?endpoint=http://three:9000'
      ]
    )
  })

  t.test('displays only the origin of the URL of a mail service', async t => {
    for (const rest of [
      `/v1/${mark}/send/`,
      `?key=${mark}&to=`,
      `/#${mark}`,
      `//${mark}`,
      `\\${mark}`,
      `/${mark}`
    ])
      t.equal(shownAs(`https://mail.example:8443${rest}`), 'https://mail.example:8443/…', rest)
    for (const url of ['https://mail.example', 'HTTP://mail.example:80/', '']) t.equal(shownAs(url), url)
  })

  t.test('displays everything else', async t => {
    const shown = listPublicSettings(settingsWith(isSecret => !isSecret))
    const texts = settingsList.filter(
      ({ isSecret, defaultValue }) => !isSecret && typeof defaultValue === 'string'
    )
    t.equal(shown.filter(({ value }) => value === mark).length, texts.length)
  })

  t.test('treats every setting with the name of a secret as one', async t => {
    const named = settingsList.filter(
      ({ key, defaultValue }) =>
        typeof defaultValue !== 'number' && /(?:key|password|secret|token|tokens|headers)$/i.test(key)
    )
    t.ok(named.length >= 8)
    t.same(
      named.filter(({ isSecret }) => !isSecret).map(({ key }) => key),
      []
    )
  })
})
