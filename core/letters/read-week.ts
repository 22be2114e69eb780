/** Reads the week of an account on behalf of its user, in slices. */
import type { Static } from 'typebox'
import type { Access } from '../../schemas/access.js'
import type { Account } from '../../storage/platform/account.js'
import { nextTurn } from '../../storage/steps.js'
import { LookedListing, type Looked } from '../audit/looked-listing.js'
import { createCall, type Call } from '../call/method.js'
import type { Services } from '../call/services.js'
import type { Reader } from '../call/reader.js'
import type { Listing } from '../json/json-text.js'
import { listDays } from '../measures/grids.js'
import { listOwnMeasures, type OwnMeasure } from '../measures/known-measures.js'
import { weekDays, type MeasureWeek } from '../measures/measure-week.js'
import { WeekListing } from '../measures/week-listing.js'
import { Caller } from '../permissions/caller.js'

/** The data from which a letter is written. */
export interface Week {
  readonly measures: readonly MeasureWeek[]
  /** Absent if the service does not record who reads. */
  readonly looked?: readonly Static<typeof Looked>[]
  /** The user's own measures. */
  readonly own: readonly OwnMeasure[]
}

/** Reads the week that ends on a day (counted from 1 January 1970). */
export async function readWeek(
  services: Services,
  account: Account,
  { last, zone }: { readonly last: number; readonly zone: string }
): Promise<Week> {
  const owner = createOwner(services.clock.now())
  const getCall = (): Call => {
    const store = services.accounts.openStore(account)
    const credentials = { ip: '127.0.0.1', via: 'http' } as const
    const caller = new Caller(store, owner)
    return createCall({ services, credentials, now: services.clock.now() }, { account, caller, store })
  }
  const { starts } = listDays(zone, last + 1 - weekDays, last)
  const measures = await readAll(getCall, call => new WeekListing(call, { last, zone }))
  const looked = services.config.audit.active
    ? await readAll(getCall, call => new LookedListing(call, starts))
    : undefined
  return {
    measures: measures as MeasureWeek[],
    ...(looked && { looked: looked as NonNullable<Week['looked']> }),
    own: listOwnMeasures(getCall())
  }
}

/** The service reads what the user would. */
function createOwner(now: number): Access {
  const tracking = { created: now, createdBy: 'system', modified: now, modifiedBy: 'system' }
  return { id: 'system', token: '', type: 'personal', name: 'letter', permissions: [], ...tracking }
}

/** Reads all pages of a listing, each in its own turn. `getCall` returns the call with the current store. */
async function readAll(getCall: () => Call, start: (call: Call) => Listing<Reader>): Promise<unknown[]> {
  let call = getCall()
  const listing = call.store.read(() => start(call))
  const items: unknown[] = []
  try {
    for (;;) {
      const page = call.store.read(() => listing.next(call))
      items.push(...(JSON.parse(`[${page.text}]`) as unknown[]))
      if (page.done) return items
      await nextTurn()
      // The file may have been closed and opened again.
      call = getCall()
    }
  } finally {
    listing.close?.()
  }
}
