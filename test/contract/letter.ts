/** Scenarios of the methods of the weekly letter. (docs/api/letter.md) */
import assert from 'node:assert/strict'
import { closedToOthers, withoutToken, type Contract, type Scenario } from './scenario.js'
import type { World } from './world.js'

const token = 'c123456789012345678901234'
const off = {
  isOn: false,
  weekday: 1,
  time: '08:00',
  zone: 'UTC',
  language: 'en',
  showsValues: false,
  byMail: true,
  channelIds: []
}

const refused = (all: readonly object[]): Scenario[] =>
  all.map(update => ({
    name: `refuses ${JSON.stringify(update)}`,
    kind: 'params',
    params: { update },
    error: 'invalid-parameters-format'
  }))

async function saveLetter({ owner }: World): Promise<void> {
  await owner.do('letter.update', { update: { weekday: 7 } })
}

export const letterScenarios: Contract = {
  'letter.get': [
    {
      name: 'returns the defaults before the first change',
      kind: 'success',
      answer: { letter: { ...off, next: null, address: null, hasMail: false } }
    },
    {
      name: 'never returns the token of the link in mails',
      kind: 'success',
      before: saveLetter,
      answer: { letter: { weekday: 7 } },
      after: (_world, { letter }) => assert.equal('token' in letter, false)
    },
    { name: 'refuses params', kind: 'params', params: { x: 1 }, error: 'invalid-parameters-format' },
    ...closedToOthers(),
    ...withoutToken()
  ],
  'letter.update': [
    {
      name: 'changes what is given',
      kind: 'success',
      params: { update: { weekday: 5, time: '19:30', zone: 'Europe/Zurich', showsValues: true } },
      answer: {
        letter: { ...off, weekday: 5, time: '19:30', zone: 'Europe/Zurich', showsValues: true, next: null }
      }
    },
    {
      name: 'refuses to turn it on where no mail is sent',
      kind: 'state',
      params: { update: { isOn: true } },
      error: 'invalid-operation'
    },
    {
      name: 'refuses to turn it on without a way to the user',
      kind: 'state',
      params: { update: { isOn: true, byMail: false } },
      error: 'invalid-operation'
    },
    {
      name: 'refuses an unknown channel',
      kind: 'unknown',
      params: { update: { channelIds: ['cunknown'] } },
      error: 'unknown-resource'
    },
    ...refused([
      { weekday: 0 },
      { weekday: 8 },
      { time: '24:00' },
      { time: '8:00' },
      { zone: 'Mars/Base' },
      { language: 'it' },
      { isOn: 'perhaps' },
      { next: 1 }
    ]),
    ...closedToOthers({ update: { weekday: 5 } }),
    ...withoutToken({ update: { weekday: 5 } })
  ],
  'letter.unsubscribe': [
    {
      name: 'turns the letter off with the token of a mail',
      kind: 'success',
      by: 'nobody',
      only: 'http',
      before: async world => {
        await saveLetter(world)
        const { username } = world.owner
        await world.service.call(undefined, 'test.sendLetter', { username, token })
      },
      params: { token },
      answer: {},
      after: async ({ owner }) => {
        const { letter } = await owner.do('letter.get')
        assert.equal(letter.isOn, false)
      }
    },
    {
      name: 'ignores the fields of the form of a mail program',
      kind: 'unknown',
      params: { token: 'a guess', 'List-Unsubscribe': 'One-Click' },
      error: 'invalid-access-token'
    },
    {
      name: 'refuses an unknown token',
      kind: 'unknown',
      before: saveLetter,
      params: { token: 'a guess' },
      error: 'invalid-access-token'
    },
    {
      name: 'refuses a token that is too long',
      kind: 'params',
      params: { token: 'a'.repeat(201) },
      error: 'invalid-parameters-format'
    }
  ]
}
