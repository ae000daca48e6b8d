// `weir token NAME`: prints an id token for curl and other HTTP clients.
import type { Command } from 'commander'
import { requireCredentials } from '../../api/credentials.ts'
import { idTokenOf, requestToken } from '../../api/id-token.ts'
import { withExamples } from '../../input/options.ts'
import type { OpenSession, Session } from '../../session.ts'

export function addTokenCommand(program: Command, open: OpenSession): void {
  withExamples(
    program
      .command('token')
      .description('print an id token of a stream or output, valid for one hour')
      .argument('<name>')
      .action((name: string, _options: unknown, command: Command) =>
        printToken(open(command), name),
      ),
    ['curl -H "authorization: Bearer $(weir token clicks)" …', 'with any HTTP client'],
    ['weir token clicks -o json', 'the complete response, with expiresAt and refreshToken'],
  )
}

async function printToken(session: Session, name: string): Promise<void> {
  const credentials = await requireCredentials(session, name)
  const answer = await requestToken(session.account(), name, credentials)
  session.terminal.keepPrivate()
  session.terminal.print(session.isJson ? JSON.stringify(answer, null, 2) : idTokenOf(answer))
}
