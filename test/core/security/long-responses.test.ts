/** Places for long responses: several for one response, shared by accesses and accounts. */
import t from 'tap'
import { LongResponses, type ReleasePlace } from '../../../core/security/long-responses.js'
import { ManualClock } from '../../../core/time.js'

const limits = { longAnswers: 300, longAnswersPerAccess: 20 }
const phone = { user: 'alice', access: 'phone' }

function create(): { clock: ManualClock; responses: LongResponses } {
  const clock = new ManualClock(0)
  return { clock, responses: new LongResponses(limits, clock) }
}

/** Waits for places. `ids` gets the outcome: `admitted`, or the id of the error. */
function wait(
  responses: LongResponses,
  recipient: { user: string; access: string },
  places: number
): { readonly outcome: Promise<string>; readonly release: () => void } {
  let release: ReleasePlace | undefined
  const outcome = responses.acquire(recipient, places).then(
    found => {
      release = found
      return 'admitted'
    },
    (error: unknown) => (error as { id: string }).id
  )
  return { outcome, release: () => release?.() }
}

t.test('a short response does not wait behind a long one of its access', async t => {
  const { clock, responses } = create()
  responses.tryAcquire(phone, 13)
  const long = wait(responses, phone, 13)
  const release = responses.tryAcquire(phone, 1)
  t.ok(release, 'there is room for it')
  release?.()
  clock.advance(11)
  t.equal(await long.outcome, 'too-many-requests')
  t.same(responses.load, { open: 13, waiting: 0 })
})

t.test(
  'an access waits for as many places as it may have, whatever their number for each response',
  async t => {
    const { responses } = create()
    const first = responses.tryAcquire(phone, 20)!
    const waiting = [13, 13, 7, 1].map(places => wait(responses, phone, places))
    t.same(responses.load, { open: 20, waiting: 2 })
    first()
    t.same(await Promise.all(waiting.map(async ({ outcome }) => await outcome)), [
      'admitted',
      'too-many-requests',
      'admitted',
      'too-many-requests'
    ])
    for (const { release } of waiting) release()
    t.same(responses.load, { open: 0, waiting: 0 })
  }
)

t.test('one account does not take all room to wait', async t => {
  const { responses } = create()
  const take = (user: string, count: number): ReleasePlace[] =>
    Array.from({ length: count }, (_, at) => responses.tryAcquire({ user, access: `app-${at}` }, 20)!)
  take('alice', 5)
  const releases = take('bob', 1)
  for (let at = 0; at < 8; at++) void wait(responses, { user: 'alice', access: `more-${at}` }, 20).outcome
  const waiting = wait(responses, { user: 'bob', access: 'app-0' }, 20)
  t.same(responses.load, { open: 120, waiting: 4 })
  for (const release of releases) release()
  t.equal(await waiting.outcome, 'admitted')
})
