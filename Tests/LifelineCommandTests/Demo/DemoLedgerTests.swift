import Testing

@testable import LifelineCommand

@Suite struct DemoLedgerTests {
    private let both: Set<String> = ["ada", "bob"]

    @Test func `What arrives once for everybody is clean`() {
        var ledger = DemoLedger()
        ledger.send(1, to: both, at: 1)
        for client in both { ledger.receive(1, client: client) }
        #expect(ledger.isClean)
        #expect((ledger.sentCount, ledger.receivedCount) == (2, 2))
    }

    @Test func `What is missing without an outage is lost in silence`() {
        var ledger = DemoLedger()
        ledger.send(1, to: both, at: 1)
        ledger.receive(1, client: "ada")
        #expect(ledger.lostCount == 1)
        #expect(!ledger.isClean)
    }

    @Test func `What is missing during an outage that was told is declared`() {
        var ledger = DemoLedger()
        ledger.begin("cut", at: 1)
        ledger.noticed(at: 1.1)
        ledger.send(1, to: both, at: 1.2)
        ledger.recovered(at: 2)
        #expect((ledger.declaredCount, ledger.lostCount) == (2, 0))
        #expect(ledger.isClean)
        ledger.send(2, to: both, at: 2.5)
        #expect(ledger.lostCount == 2)
    }

    @Test func `An outage that nobody noticed is not clean`() {
        var ledger = DemoLedger()
        ledger.begin("half-open", at: 1)
        ledger.recovered(at: 2)
        #expect(!ledger.isClean)
    }

    @Test func `What arrives twice is counted`() {
        var ledger = DemoLedger()
        ledger.send(1, to: ["ada"], at: 1)
        ledger.receive(1, client: "ada")
        ledger.receive(1, client: "ada")
        #expect(ledger.duplicatedCount == 1)
        #expect(!ledger.isClean)
    }
}
