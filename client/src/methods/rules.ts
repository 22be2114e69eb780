/** Params and results of methods: rules. */
// Generated from the definitions of the methods: do not edit. `npm run document` writes it.
import type { ItemDeletion } from './nouns.js'

export type Condition =
  | {
      kind: 'above'
      measure: string
      streamIds?: string[]
      unit?: string
      value: number
      recoverAt?: number
      for?: number
    }
  | {
      kind: 'below'
      measure: string
      streamIds?: string[]
      unit?: string
      value: number
      recoverAt?: number
      for?: number
    }
  | { kind: 'outside'; measure: string; streamIds?: string[]; range: 'plausible' | 'usual'; for?: number }
  | {
      kind: 'changing'
      measure: string
      streamIds?: string[]
      unit?: string
      by: number
      within: number
      direction: 'up' | 'down'
    }
  | { kind: 'missing'; measure: string; streamIds?: string[]; for: number }
  | { kind: 'missing'; streamId: string; for: number }
  | { kind: 'missing'; connectionId: string; for: number }
  | { kind: 'total'; measure: string; streamIds?: string[]; unit?: string; atLeast: number; by: string }
  | { kind: 'total'; measure: string; streamIds?: string[]; unit?: string; atMost: number; by: string }
  | { kind: 'place'; direction: 'enters' | 'leaves'; latitude: number; longitude: number; radius: number }
  | { kind: 'words'; anyOf: string[]; streamIds?: string[] }
  | { kind: 'arrived'; accessId: string }
  | { kind: 'arrived'; connectionId: string }
  | { kind: 'looked'; accessId?: string }
export type PublicRule = {
  id: string
  name: string
  isActive: boolean
  channelIds: string[]
  urgency: 'low' | 'normal' | 'high'
  showsValues: boolean
  tellsRecovery: boolean
  text?: string
  days?: number[]
  quietHours?: { from: string; to: string }
  evenWhenQuiet: boolean
  zone: string
  atMostEvery: number
  remindAfter?: number
  condition: Condition
  accessId: string
  created: number
  createdBy: string
  modified: number
  modifiedBy: string
  state: {
    isFiring: boolean
    firedAt?: number
    recoveredAt?: number
    toldAt?: number
    tellAt?: number
    isOpen?: boolean
    acknowledgedAt?: number
    acknowledgedBy?: string
    problem?: 'access-ended' | 'forbidden' | 'unknown-measure' | 'no-range'
  }
}
export interface RulesMethods {
  /** Acknowledge what a rule has told. */
  'rules.acknowledge': {
    params: { readonly id: string; readonly firedAt?: number | null | undefined }
    result: { rule: PublicRule }
  }
  /** Add a rule. */
  'rules.create': {
    params: {
      readonly name: string
      readonly condition: Condition
      readonly channelIds: readonly string[]
      readonly isActive?: boolean | undefined
      readonly urgency?: 'low' | 'normal' | 'high' | undefined
      readonly showsValues?: boolean | undefined
      readonly tellsRecovery?: boolean | undefined
      readonly text?: string | undefined
      readonly days?: readonly number[] | undefined
      readonly quietHours?: { readonly from: string; readonly to: string } | undefined
      readonly evenWhenQuiet?: boolean | undefined
      readonly zone?: string | undefined
      readonly atMostEvery?: number | undefined
      readonly remindAfter?: number | undefined
    }
    result: { rule: PublicRule }
  }
  /** Remove a rule. */
  'rules.delete': { params: { readonly id: string }; result: { ruleDeletion: ItemDeletion } }
  /** Get a rule. */
  'rules.getOne': { params: { readonly id: string }; result: { rule: PublicRule } }
  /** List rules. */
  'rules.get': { params: Record<string, never>; result: { rules: PublicRule[] } }
  /** Find out when a rule would have fired. */
  'rules.test': {
    params: {
      readonly rule?:
        | {
            readonly name: string
            readonly condition: Condition
            readonly channelIds: readonly string[]
            readonly isActive?: boolean | undefined
            readonly urgency?: 'low' | 'normal' | 'high' | undefined
            readonly showsValues?: boolean | undefined
            readonly tellsRecovery?: boolean | undefined
            readonly text?: string | undefined
            readonly days?: readonly number[] | undefined
            readonly quietHours?: { readonly from: string; readonly to: string } | undefined
            readonly evenWhenQuiet?: boolean | undefined
            readonly zone?: string | undefined
            readonly atMostEvery?: number | undefined
            readonly remindAfter?: number | undefined
          }
        | null
        | undefined
      readonly id?: string | null | undefined
      readonly from: number
      readonly to: number
    }
    result: { firings: { time: number; recovered?: number; told?: number }[] }
  }
  /** Change a rule, pause it, or use it again. */
  'rules.update': {
    params: {
      readonly id: string
      readonly update: {
        readonly condition?: Condition | undefined
        readonly name?: string | undefined
        readonly isActive?: boolean | undefined
        readonly channelIds?: readonly string[] | undefined
        readonly urgency?: 'low' | 'normal' | 'high' | undefined
        readonly showsValues?: boolean | undefined
        readonly tellsRecovery?: boolean | undefined
        readonly evenWhenQuiet?: boolean | undefined
        readonly zone?: string | undefined
        readonly atMostEvery?: number | undefined
        readonly days?: readonly number[] | null | undefined
        readonly quietHours?: { readonly from: string; readonly to: string } | null | undefined
        readonly remindAfter?: number | null | undefined
        readonly text?: string | null | undefined
      }
    }
    result: { rule: PublicRule }
  }
}
