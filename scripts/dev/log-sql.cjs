/** Prints SQL statements and their values on standard error: `node --require ./scripts/dev/log-sql.cjs PROGRAM`. */
const Database = require('better-sqlite3')
const [exec, prepare] = ['exec', 'prepare'].map(name => Reflect.get(Database.prototype, name))
let isPatched = false

/** Prints a statement in one line. */
function print(sql, values = []) {
  const shown = values.length > 0 ? ` -- ${JSON.stringify(values, (_key, value) => shorten(value))}` : ''
  process.stderr.write(`${sql.replaceAll(/\s+/g, ' ').trim()}${shown}\n`)
}

function shorten(value) {
  if (typeof value === 'bigint') return String(value)
  if (value?.type === 'Buffer') return `${value.data.length} bytes`
  return typeof value === 'string' && value.length > 80 ? `${value.slice(0, 80)}…` : value
}

/** Makes all statements print themselves when they are executed. */
function patchStatements(prototype) {
  isPatched = true
  for (const name of ['run', 'get', 'all', 'iterate']) {
    const original = prototype[name]
    prototype[name] = function (...values) {
      print(this.source, values)
      return original.apply(this, values)
    }
  }
}

Database.prototype.prepare = function (sql) {
  const statement = prepare.call(this, sql)
  if (!isPatched) patchStatements(Object.getPrototypeOf(statement))
  return statement
}
Database.prototype.exec = function (sql) {
  print(sql)
  return exec.call(this, sql)
}
