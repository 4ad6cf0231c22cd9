import ServerStorage
import Testing

@Suite("Applications (HB-1, HB-2, HB-10)")
struct ApplicationTests {
    @Test("The development application has the documented credentials")
    func development() {
        let registry = InMemoryApplicationRegistry([.development])
        #expect(registry.application(id: "1001")?.key == "app-key")
        #expect(registry.application(key: "app-key")?.secret.revealed == "app-secret")
        #expect(registry.application(id: "app-key") == nil)
        #expect(registry.application(key: "1001") == nil)
    }

    @Test("A secret appears in no description, dump or interpolation")
    func redaction() {
        let application = Application(id: "1", key: "k", secret: "very-secret")
        var dumped = ""
        dump(application, to: &dumped)
        for text in ["\(application)", String(reflecting: application), String(describing: application.secret), dumped] {
            #expect(!text.contains("very-secret"))
        }
    }

    @Test("Of two applications with the same key the first counts")
    func duplicates() {
        let registry = InMemoryApplicationRegistry([
            Application(id: "1", key: "k", secret: "a"), Application(id: "2", key: "k", secret: "b"),
        ])
        #expect(registry.application(key: "k")?.id == "1")
    }

    @Test("Default limits are those of Pusher Channels")
    func limits() {
        let limits = ApplicationLimits()
        #expect(limits.eventDataBytes == 10_240)
        #expect(limits.channelsPerPublish == 100)
        #expect(limits.eventsPerBatch == 10)
        #expect(limits.presenceMembers == 100)
        #expect(limits.clientEventsPerSecond == 10)
        #expect(limits.connections == nil)
    }
}
