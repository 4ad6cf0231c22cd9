import ServerValues
import Testing

@Suite("Sets of event loops")
struct EventLoopSetTests {
    private func set(_ numbers: Int...) -> EventLoopSet {
        numbers.reduce(into: EventLoopSet()) { $0.insert($1) }
    }

    @Test("Event loops come and go in order of their numbers; others than 0 to 63 are ignored")
    func members() {
        var eventLoopIDs = set(63, 0, 7, 7, 64, -1)
        #expect(Array(eventLoopIDs) == [0, 7, 63])
        #expect(
            eventLoopIDs.contains(63) && !eventLoopIDs.contains(1) && !eventLoopIDs.contains(64) && !eventLoopIDs.contains(-1))
        eventLoopIDs.remove(7)
        eventLoopIDs.remove(64)
        #expect(Array(eventLoopIDs) == [0, 63] && !eventLoopIDs.isEmpty)
    }

    @Test("Sets are put together and compared")
    func unions() {
        var eventLoopIDs = set(1)
        eventLoopIDs.formUnion(set(2, 63))
        #expect(eventLoopIDs == set(1, 2, 63))
        #expect(eventLoopIDs.isDisjoint(with: set(0, 3)) && !eventLoopIDs.isDisjoint(with: set(63)))
        #expect(set().isDisjoint(with: eventLoopIDs) && set().isDisjoint(with: set()))
    }
}
