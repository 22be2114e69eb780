/** Groups columns whose values form one record. */
import type { ColumnMapping } from '../record.js'

export interface ColumnGroup {
  readonly type: string
  readonly stream: string
  readonly parts: readonly ColumnMapping[]
}

/** Groups the fields of contents with several values, such as the halves of a blood pressure. */
export function groupColumns(values: readonly ColumnMapping[]): ColumnGroup[] {
  const groups: (ColumnGroup & { parts: ColumnMapping[] })[] = []
  for (const part of values) {
    const group = groups.find(
      ({ parts, stream, type }) =>
        part.field !== undefined &&
        parts[0]!.field !== undefined &&
        type === part.type &&
        stream === part.stream
    )
    if (group) group.parts.push(part)
    else groups.push({ type: part.type, stream: part.stream, parts: [part] })
  }
  return groups
}
