import ArgumentParser

/// `lifeline demo`.
struct DemoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo",
        abstract: "Plays the main job on real sockets, with outages, and shows every status.",
        discussion: """
            Starts a server and two PusherSwift clients in this process: public, private, presence and encrypted channels, client events, \
            members coming and going. Then the connection is cut, held half-open and refused. Ends by itself after about half a minute \
            with a summary; the exit code is 0 when every message is accounted for and every outage was noticed and mended.

            EXAMPLES
              lifeline demo
              NO_COLOR=1 lifeline demo | tee demo.txt
            """)

    func run() async throws {
        let stage = DemoStage(colours: .standardOutput)
        do {
            try await DemoPlay(stage: stage).run()
        } catch {
            await stage.say("The demo stopped. \(error)")
            await summary(stage, failure: true)
            throw ExitCode(1)
        }
        let isClean = await stage.ledger.isClean
        await summary(stage, failure: !isClean)
        if !isClean { throw ExitCode(1) }
    }

    private func summary(_ stage: DemoStage, failure: Bool) async {
        let ledger = await stage.ledger
        await stage.title("Summary")
        await stage.plain("  events sent        \(ledger.sentCount)   (each counted once for each client)")
        await stage.plain("  events received    \(ledger.receivedCount)")
        await stage.plain("  lost in silence    \(ledger.lostCount)")
        await stage.plain("  missed in outages  \(ledger.declaredCount)   (the clients said so)")
        await stage.plain("  duplicated         \(ledger.duplicatedCount)")
        for outage in ledger.outages {
            let noticed = outage.noticedAfter.map { "noticed after \(DemoStage.text($0)) s" } ?? "not noticed"
            let recovered = outage.recoveredAfter.map { "recovered after \(DemoStage.text($0)) s" } ?? "not recovered"
            await stage.plain("  outage \(DemoStage.pad(outage.name, 12))\(noticed), \(recovered)")
        }
        await stage.plain(failure ? "\nNot everything is accounted for." : "\nEverything is accounted for.")
        await stage.flush()
    }
}
