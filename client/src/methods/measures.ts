/** Params and results of methods: measures. */
// Generated from the definitions of the methods: do not edit. `npm run document` writes it.
import type { StreamsQuery } from '../streams-query.js'

export interface MeasuresMethods {
  /** Get the value of a measure on each day. */
  'measures.days': {
    params: {
      readonly measure: string
      readonly streams?: StreamsQuery | undefined
      readonly from: string
      readonly to: string
      readonly zone?: string | null | undefined
      readonly unit?: string | null | undefined
    }
    result: {
      days: { day: string; value?: unknown; min?: unknown; max?: unknown; count: number; source: string }[]
    }
  }
  /** Compare a measure before and after events. */
  'measures.around': {
    params: {
      readonly measure: string
      readonly eventId?: string | null | undefined
      readonly streamId?: string | null | undefined
      readonly type?: string | null | undefined
      readonly before?: number | null | undefined
      readonly after?: number | null | undefined
      readonly zone?: string | null | undefined
    }
    result: {
      around: {
        events: number
        before: { count: number; median?: number }
        after: { count: number; median?: number }
        difference?: { value: number; low?: number; high?: number }
        warnings: ('few' | 'overlapping' | 'truncated')[]
      }[]
    }
  }
  /** Compare two measures day by day. */
  'measures.compare': {
    params: {
      readonly measure: string
      readonly other: string
      readonly streams?: StreamsQuery | undefined
      readonly from: string
      readonly to: string
      readonly zone?: string | null | undefined
      readonly maxLag?: number | null | undefined
    }
    result: { lags: { lag: number; days: number; rho?: number; low?: number; high?: number }[] }
  }
  /** Get the latest value and the sources of each measure. */
  'measures.facts': {
    params: {
      readonly measures?: readonly string[] | null | undefined
      readonly createdSince?: number | null | undefined
      readonly streams?: StreamsQuery | undefined
    }
    result: {
      facts: {
        measure: string
        count: number
        first: number
        last: number
        latest: {
          time: number
          streamId: string
          type: string
          duration?: number | null
          content?: unknown
          value?: number | (number | null)[]
          unit?: string
        }
        sources: { streamId: string; type: string; count: number; first: number; last: number }[]
      }[]
    }
  }
  /** Get the measures. */
  'measures.get': {
    params: { readonly ids?: readonly string[] | null | undefined }
    result: {
      measures: (
        | {
            id: string
            category: string
            names: { en: string; de: string; fr: string }
            icon: string
            hue: number
            kind: string
            types: string[]
          }
        | {
            id: string
            name: string
            icon: string
            hue: number
            kind: 'level' | 'sum' | 'span' | 'category' | 'pair' | 'place' | 'text'
            types: string[]
            fields?: string[]
            unit?: { shown: string; byRegion?: { [key: string]: string }; offered: string[] }
            choices?: { value: string | number; name?: string }[]
            quickValues?: ((string | number) | boolean)[]
          }
      )[]
    }
  }
  /** Aggregate the numbers of a measure for a chart. */
  'measures.sample': {
    params: {
      readonly measure: string
      readonly streams?: StreamsQuery | undefined
      readonly fromTime: number
      readonly toTime: number
      readonly parts: number
      readonly merge?: ('preferred' | 'each') | null | undefined
      readonly last?: boolean | null | undefined
      readonly unit?: string | null | undefined
      readonly zone?: string | null | undefined
    }
    result: {
      samples?: {
        time: number
        count?: number
        min?: number | (number | null)[]
        max?: number | (number | null)[]
        mean?: number | (number | null)[]
        sum?: number
        last?: number | (number | null)[]
        source?: string
      }[]
      sources?: {
        streamId: string
        samples: {
          time: number
          count?: number
          min?: number | (number | null)[]
          max?: number | (number | null)[]
          mean?: number | (number | null)[]
          sum?: number
          last?: number | (number | null)[]
          source?: string
        }[]
      }[]
    }
  }
  /** Summarise a week. */
  'measures.week': {
    params: { readonly to?: string | null | undefined; readonly zone?: string | null | undefined }
    result: {
      from: string
      to: string
      measures: {
        measure: string
        days: number
        value?: unknown
        total?: number
        usual?: { days: number; median: number | number[]; low: number | number[]; high: number | number[] }
        position: 'lower' | 'usual' | 'higher' | 'unknown'
        goal?: { period: 'day' | 'week'; min?: number; max?: number; reached: number; total: number }
        night?: {
          begin: { median: string; earliest: string; latest: string }
          end: { median: string; earliest: string; latest: string }
        }
        places?: { count: number; most: { latitude: number; longitude: number; seconds: number } }
      }[]
      looked?: { accessId: string; name: string; days: number; reads: number }[]
    }
  }
}
