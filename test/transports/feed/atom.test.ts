/** Atom feeds by the rules of RFC 4287, read with a strict reader of XML. */
import t from 'tap'
import { coffer } from '../../support/coffer.js'

interface Element {
  readonly name: string
  readonly attributes: Readonly<Record<string, string>>
  readonly children: Element[]
  text: string
}

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" }

function decode(text: string): string {
  return text.replaceAll(/&(?:([a-z#0-9]+);)?/g, (whole, name: string | undefined) => {
    const decoded = name === undefined ? undefined : entities[name]
    if (decoded === undefined) throw new Error(`${whole} is no entity`)
    return decoded
  })
}

/** Reads a document. Throws for what is not well-formed. */
function readXml(document: string): Element {
  if (!/^[\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]*$/u.test(document))
    throw new Error('characters that XML cannot hold')
  const root: Element = { name: '', attributes: {}, children: [], text: '' }
  const open = [root]
  const head = '<?xml version="1.0" encoding="utf-8"?>\n'
  if (!document.startsWith(head)) throw new Error('no declaration')
  const tokens = document
    .slice(head.length)
    .matchAll(/<\/([\w:]+)>|<([\w:]+)((?: [\w:]+="[^"<]*")*)(\/?)>|([^<]+)|([^])/g)
  for (const [, end, start, attributes, isEmpty, text, other] of tokens) {
    const parent = open.at(-1)!
    if (other !== undefined) throw new Error(`unexpected ${other}`)
    if (text !== undefined) parent.text += decode(text)
    else if (end !== undefined) {
      if (open.pop()!.name !== end) throw new Error(`unexpected end of ${end}`)
    } else {
      const found = [...attributes!.matchAll(/([\w:]+)="([^"]*)"/g)]
      const element: Element = {
        name: start!,
        attributes: Object.fromEntries(found.map(([, name, value]) => [name!, decode(value!)])),
        children: [],
        text: ''
      }
      parent.children.push(element)
      if (isEmpty === '') open.push(element)
    }
  }
  const [only, ...others] = root.children
  if (open.length > 1 || !only || others.length > 0) throw new Error('not one element')
  return only
}

/** Returns the only child of a name. */
function getChild({ children, name: parent }: Element, name: string): Element {
  const [child, ...others] = children.filter(each => each.name === name)
  if (!child || others.length > 0) throw new Error(`${others.length + (child ? 1 : 0)} ${name} in ${parent}`)
  return child
}

const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/

t.test('Atom feeds', async t => {
  const { alice, clock } = await coffer(t)
  const { service, username } = alice
  const now = Math.floor(clock.now())
  await alice.stream('diary')
  await alice.event({ content: 'first', time: now - 10 })
  await alice.event({ content: 'long ago', time: -1e12 })
  await alice.event({ content: 'grandmother', time: Date.UTC(1931, 6, 15) / 1000 })
  await alice.event({ content: 'far ahead', time: 1e300, duration: 1e300 })
  for (const [at, name] of ['\u0007', '\ud800', '\ufffe<>&"\'', ']]>\r\n\u2028\u0085'].entries()) {
    await alice.do('streams.create', { id: `odd-${at}`, name, parentId: 'diary' })
    await alice.event({ streamIds: [`odd-${at}`], content: name, description: name, time: now - at })
  }
  const { token } = await alice.grant('read', 'diary', { type: 'shared', name: 'Of <Alice> & "us"\u0001' })
  const get = async (
    params: Record<string, string>,
    headers: Record<string, string> = {}
  ): Promise<string> => {
    const url = `${service.server.url}/${username}/feed.atom?${String(new URLSearchParams(params))}`
    const response = await fetch(url, { headers })
    t.equal(response.status, 200)
    return await response.text()
  }

  t.test('have what each must have, and their own address', async t => {
    const params = { auth: token, types: 'note/txt', streams: 'diary', zone: 'Asia/Kolkata' }
    const text = await get(params)
    const feed = readXml(text)
    t.match(feed, { name: 'feed', attributes: { xmlns: 'http://www.w3.org/2005/Atom' } })
    t.match(getChild(feed, 'id').text, /^https?:\/\//)
    t.match(getChild(feed, 'updated').text, time)
    t.equal(getChild(feed, 'title').text, 'Of <Alice> & "us"')
    t.equal(getChild(getChild(feed, 'author'), 'name').text, 'Of <Alice> & "us"')
    const { attributes } = getChild(feed, 'link')
    t.match(attributes, { rel: 'self', type: 'application/atom+xml' })
    const url = new URL(attributes['href']!)
    t.equal(url.pathname, `/${username}/feed.atom`)
    t.same(Object.fromEntries(url.searchParams), params)
    t.equal(await (await fetch(url)).text(), text)
    const entries = feed.children.filter(({ name }) => name === 'entry')
    t.equal(entries.length, 8)
    t.equal(new Set(entries.map(entry => getChild(entry, 'id').text)).size, 8)
    for (const entry of entries) {
      t.match(getChild(entry, 'id').text, /^https?:\/\/.*\/events\/\w+$/)
      for (const name of ['published', 'updated']) t.match(getChild(entry, name).text, time)
      for (const name of ['title', 'content']) t.not(getChild(entry, name).text, '')
    }
  })

  t.test('say when something was, also long before 1970', async t => {
    const entries = readXml(await get({}, { authorization: token })).children
    const titles = entries
      .filter(({ name }) => name === 'entry')
      .map(entry => getChild(entry, 'title').text.replace(/.*, /s, ''))
    t.ok(titles.includes('grandmother (1931-07-15T00:00:00Z)'), titles.join('; '))
    t.ok(titles.includes('long ago (-029719-04-05T22:13:20Z)'))
    t.ok(titles.includes('far ahead'), 'at no date of a calendar')
  })

  t.test('keep a token out that was in a header', async t => {
    const text = await get({}, { authorization: token })
    t.notOk(text.includes(token))
    t.match(getChild(readXml(text), 'link').attributes['href'], /\/feed\.atom$/)
  })
})
