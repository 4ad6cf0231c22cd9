import Testing

@testable import PubNubServer

@Suite struct KeysetSnapshotTests {
    private func snapshot(_ visible: UInt64) -> KeysetSnapshot {
        KeysetSnapshot(of: "demo", messages: [], groups: [], access: [], dropped: [], visible: visible)
    }

    @Test func `CB-66: a node that asks the next leader for the rest of a state gets no piece of another state`() {
        var (former, next) = (KeysetSnapshots(generation: 5), KeysetSnapshots(generation: 6))
        let numbers = (0..<3).map { former.add(snapshot($0), for: $0) }
        for number in 0..<3 as Range<UInt64> { _ = next.add(snapshot(number), for: number) }
        for (node, number) in zip(0..<3 as Range<UInt64>, numbers) {
            #expect(next.piece(0, of: number, for: node)?.fact == nil)
            #expect(former.piece(0, of: number, for: node)?.fact == .stateEnds(visible: node))
        }
    }

    @Test func `CB-66: a node gets no piece of a state that is another node's`() {
        var snapshots = KeysetSnapshots(generation: .max)
        let number = snapshots.add(snapshot(7), for: 1)
        #expect(snapshots.piece(0, of: number, for: 2)?.fact == nil)
        #expect(snapshots.piece(0, of: number, for: 1)?.fact == .stateEnds(visible: 7))
        // The last piece ends the state.
        #expect(snapshots.piece(0, of: number, for: 1)?.fact == nil)
    }
}
