/** Heavy things that are asked for in a few words: what they cost is what the account holds. */
import { randomBytes } from 'node:crypto'
import { password } from '../sample.js'
import { crowdedStream, emptyStream } from './cast.js'
import { everything, type Heavy } from './thing.js'

/** What concerns many streams or accesses at once. */
export function trees(): Heavy[] {
  let isBelow = false
  const permissions = Array.from({ length: 5000 }, (_, i) => ({ streamId: `crowded-${i}`, level: 'read' }))
  return [
    {
      name: 'streams.get, 10,000',
      do: async (hands, { wide }) =>
        await hands.ask(wide, 'GET', '/streams?state=all&includeDeletionsSince=0')
    },
    {
      name: 'streams.update, moved with 10,000',
      do: async (hands, { wide }) => {
        isBelow = !isBelow
        await hands.ask(
          wide,
          'PUT',
          `/streams/${crowdedStream}`,
          JSON.stringify({ parentId: isBelow ? emptyStream : null })
        )
      }
    },
    {
      name: 'streams.update, trashed with 10,000',
      do: async (hands, { wide }) => {
        await hands.ask(wide, 'PUT', `/streams/${crowdedStream}`, '{"trashed":true}')
        await hands.ask(wide, 'PUT', `/streams/${crowdedStream}`, '{"trashed":false}')
      }
    },
    {
      name: 'accesses.create, 5,000 permissions',
      do: async (hands, { wide }) => {
        const text = await hands.ask(
          wide,
          'POST',
          '/accesses',
          JSON.stringify({ name: `wide ${hands.count++}`, permissions })
        )
        const { access } = JSON.parse(text) as { access: { id: string; token: string } }
        await hands.ask({ ...wide, token: access.token }, 'GET', '/events?limit=20')
        await hands.ask({ ...wide, token: access.token }, 'GET', '/streams')
        await hands.ask(wide, 'DELETE', `/accesses/${access.id}`)
      }
    },
    {
      name: 'accesses.get, 2,000',
      do: async (hands, { wide }) => await hands.ask(wide, 'GET', '/accesses?includeDeletions=true')
    },
    {
      name: 'accesses.delete with 2,000',
      isOnce: true,
      do: async (hands, { wide }) => {
        const text = await hands.ask(wide, 'GET', '/accesses')
        const { accesses } = JSON.parse(text) as { accesses: { id: string; name: string }[] }
        await hands.ask(wide, 'DELETE', `/accesses/${accesses.find(({ name }) => name === 'sharing')!.id}`)
      }
    },
    {
      name: 'streams.delete of 10,000 streams',
      isOnce: true,
      do: async (hands, { wide }) => {
        await hands.ask(wide, 'DELETE', `/streams/${crowdedStream}`)
        await hands.ask(wide, 'DELETE', `/streams/${crowdedStream}?mergeEventsWithParent=false`)
      }
    }
  ]
}

/** Files, the audit, passwords. */
export function others(): Heavy[] {
  return [
    {
      name: 'events.get, audit',
      do: async (hands, { wide }) => await hands.ask(wide, 'GET', `/events?streams=:_audit:&${everything}`)
    },
    { name: 'export', do: async (hands, { large }) => await hands.ask(large, 'GET', '/account/export') },
    {
      name: 'upload of 100 MB',
      do: async (hands, { large }) =>
        await hands.upload(large, `/events/${large.eventIds[0]}`, randomBytes(100 * 1024 * 1024))
    },
    {
      name: 'sign-ins, 16 at a time',
      do: async (hands, { wide }) => {
        const { username } = wide
        const body = JSON.stringify({ username, password, appId: 'coffer-bench' })
        await Promise.all(Array.from({ length: 16 }, () => hands.ask(wide, 'POST', '/auth/login', body)))
      }
    },
    {
      name: 'registrations, 4 at a time',
      do: async (hands, { wide }) => {
        await Promise.all(
          Array.from({ length: 4 }, () => {
            const username = `newcomer${hands.count++}`
            return hands.ask(
              wide,
              'POST',
              '/../users',
              JSON.stringify({ username, password, email: `${username}@example.com`, appId: 'coffer-bench' })
            )
          })
        )
      }
    }
  ]
}
