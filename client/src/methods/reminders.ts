/** Params and results of methods: reminders. */
// Generated from the definitions of the methods: do not edit. `npm run document` writes it.
import type { Event, ItemDeletion } from './nouns.js'

export interface RemindersMethods {
  /** Say what became of a reminder. */
  'reminders.answer': {
    params: {
      readonly id: string
      readonly due: number
      readonly answer: 'done' | 'skipped' | 'later'
      readonly time?: number | null | undefined
      readonly laterBy?: number | null | undefined
    }
    result: {
      occurrence: {
        reminderId: string
        due: number
        day: string
        state: 'open' | 'later' | 'done' | 'skipped' | 'upcoming'
        answered?: number
        again?: number
        eventId?: string
      }
      event?: Event
    }
  }
  /** Add a reminder. */
  'reminders.create': {
    params: {
      readonly name: string
      readonly kind: 'medication' | 'habit' | 'form'
      readonly schedule: {
        readonly times: readonly string[]
        readonly days?: readonly number[] | undefined
        readonly everyDays?: number | undefined
        readonly startsOn?: string | undefined
        readonly from?: string | undefined
        readonly until?: string | undefined
      }
      readonly zone: string
      readonly streamId: string
      readonly event: { readonly type: string; readonly content?: unknown }
      readonly formId?: string | null | undefined
      readonly channelIds?: readonly string[] | null | undefined
      readonly urgency?: ('low' | 'normal' | 'high') | null | undefined
      readonly repeatAfter?: number | null | undefined
      readonly repeats?: number | null | undefined
      readonly isActive?: boolean | null | undefined
      readonly showsName?: boolean | null | undefined
    }
    result: {
      reminder: {
        id: string
        name: string
        kind: 'medication' | 'habit' | 'form'
        schedule: {
          times: string[]
          days?: number[]
          everyDays?: number
          startsOn?: string
          from?: string
          until?: string
        }
        zone: string
        streamId: string
        event: { type: string; content?: unknown }
        channelIds: string[]
        urgency: 'low' | 'normal' | 'high'
        repeatAfter: number
        repeats: number
        isActive: boolean
        showsName: boolean
        formId?: string
        accessId: string
        created: number
        createdBy: string
        modified: number
        modifiedBy: string
        next?: number
      }
    }
  }
  /** Get how often a reminder was followed on each day. */
  'reminders.days': {
    params: { readonly id: string; readonly from: string; readonly to: string }
    result: { days: { day: string; due: number; done: number; skipped: number; missed: number }[] }
  }
  /** Remove a reminder. */
  'reminders.delete': { params: { readonly id: string }; result: { reminderDeletion: ItemDeletion } }
  /** Get a reminder with its last answers. */
  'reminders.getOne': {
    params: { readonly id: string }
    result: {
      reminder: {
        id: string
        name: string
        kind: 'medication' | 'habit' | 'form'
        schedule: {
          times: string[]
          days?: number[]
          everyDays?: number
          startsOn?: string
          from?: string
          until?: string
        }
        zone: string
        streamId: string
        event: { type: string; content?: unknown }
        channelIds: string[]
        urgency: 'low' | 'normal' | 'high'
        repeatAfter: number
        repeats: number
        isActive: boolean
        showsName: boolean
        formId?: string
        accessId: string
        created: number
        createdBy: string
        modified: number
        modifiedBy: string
        next?: number
      }
      occurrences: {
        reminderId: string
        due: number
        day: string
        state: 'open' | 'later' | 'done' | 'skipped' | 'upcoming'
        answered?: number
        again?: number
        eventId?: string
      }[]
    }
  }
  /** List reminders, and when they are due. */
  'reminders.get': {
    params: Record<string, never>
    result: {
      reminders: {
        id: string
        name: string
        kind: 'medication' | 'habit' | 'form'
        schedule: {
          times: string[]
          days?: number[]
          everyDays?: number
          startsOn?: string
          from?: string
          until?: string
        }
        zone: string
        streamId: string
        event: { type: string; content?: unknown }
        channelIds: string[]
        urgency: 'low' | 'normal' | 'high'
        repeatAfter: number
        repeats: number
        isActive: boolean
        showsName: boolean
        formId?: string
        accessId: string
        created: number
        createdBy: string
        modified: number
        modifiedBy: string
        next?: number
      }[]
      occurrences: {
        reminderId: string
        due: number
        day: string
        state: 'open' | 'later' | 'done' | 'skipped' | 'upcoming'
        answered?: number
        again?: number
        eventId?: string
      }[]
    }
  }
  /** Change a reminder. */
  'reminders.update': {
    params: {
      readonly id: string
      readonly update: {
        readonly name?: string | undefined
        readonly kind?: 'medication' | 'habit' | 'form' | undefined
        readonly schedule?:
          | {
              readonly times: readonly string[]
              readonly days?: readonly number[] | undefined
              readonly everyDays?: number | undefined
              readonly startsOn?: string | undefined
              readonly from?: string | undefined
              readonly until?: string | undefined
            }
          | undefined
        readonly zone?: string | undefined
        readonly streamId?: string | undefined
        readonly event?: { readonly type: string; readonly content?: unknown } | undefined
        readonly channelIds?: readonly string[] | undefined
        readonly urgency?: 'low' | 'normal' | 'high' | undefined
        readonly repeatAfter?: number | undefined
        readonly repeats?: number | undefined
        readonly isActive?: boolean | undefined
        readonly showsName?: boolean | undefined
      }
    }
    result: {
      reminder: {
        id: string
        name: string
        kind: 'medication' | 'habit' | 'form'
        schedule: {
          times: string[]
          days?: number[]
          everyDays?: number
          startsOn?: string
          from?: string
          until?: string
        }
        zone: string
        streamId: string
        event: { type: string; content?: unknown }
        channelIds: string[]
        urgency: 'low' | 'normal' | 'high'
        repeatAfter: number
        repeats: number
        isActive: boolean
        showsName: boolean
        formId?: string
        accessId: string
        created: number
        createdBy: string
        modified: number
        modifiedBy: string
        next?: number
      }
    }
  }
}
