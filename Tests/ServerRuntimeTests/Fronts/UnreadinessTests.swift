import Testing

@testable import ServerRuntime

struct UnreadinessTests {
    @Test func `ME-10: two services whose stores are away are one reason`() {
        #expect([Unreadiness.draining, .store, .store, .leader, .store].distinct == [.draining, .store, .leader])
        #expect([Unreadiness]().distinct == [])
    }
}
