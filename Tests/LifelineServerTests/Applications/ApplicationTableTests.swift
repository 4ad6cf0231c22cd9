import ServerStorage
import Testing

@testable import LifelineServer
@testable import ServerTestSupport

@Suite("The table of applications that are made at run time")
struct ApplicationTableTests {
    private typealias Apps = TestApplications

    private func table(_ applications: RuntimeApplication..., maximum: Int = 10) -> ApplicationTable {
        ApplicationTable(applications, maximum: maximum)
    }

    /// The problem of a change; nil when it is made.
    private func problem(_ change: ApplicationChange, _ table: ApplicationTable, at now: Int = 200) -> ApplicationProblem? {
        var table = table
        do throws(ApplicationProblem) {
            _ = try table.apply(change, beside: Apps.configured, at: now)
            return nil
        } catch {
            return error
        }
    }

    @Test func `AR-2: names of the configuration and of other applications are refused`() {
        let full = table(Apps.pusher("7"), Apps.keyset("s"), Apps.chat("c"))
        let cases: [(RuntimeApplication, ApplicationProblem?)] = [
            (Apps.pusher("8"), nil), (Apps.keyset("t"), nil), (Apps.chat("d"), nil),
            (Apps.pusher("7", key: "x"), .taken(field: "id", byFile: false)),
            (Apps.pusher("8", key: "key-7"), .taken(field: "key", byFile: false)),
            (Apps.pusher("1001", key: "x"), .taken(field: "id", byFile: true)),
            (Apps.pusher("8", key: "app-key"), .taken(field: "key", byFile: true)),
            (Apps.keyset("s", publishKey: "x"), .taken(field: "subscribeKey", byFile: false)),
            (Apps.keyset("x", publishKey: "pub-s"), .taken(field: "publishKey", byFile: false)),
            (Apps.keyset("demo"), .taken(field: "subscribeKey", byFile: true)),
            (Apps.chat("c"), .taken(field: "key", byFile: false)),
            // The same name is free in another service.
            (Apps.chat("app-key"), .taken(field: "key", byFile: true)), (Apps.chat("demo"), nil), (Apps.chat("s"), nil),
        ]
        for (application, expected) in cases { #expect(problem(.create(application), full) == expected, "\(application.id)") }
    }

    @Test func `AR-3: there are no more applications than the limit`() {
        #expect(problem(.create(Apps.chat("d")), table(Apps.chat("c"), maximum: 1)) == .full(limit: 1))
        #expect(problem(.create(Apps.chat("d")), table(maximum: -1)) == .full(limit: 0))
    }

    @Test func `AR-7: applications of the configuration are not changed, and unknown ones are named`() {
        for change: (ApplicationID) -> ApplicationChange in [
            { .rotate($0, to: "x", until: nil) }, { .finish($0) }, { .enable($0, false) }, { .remove($0) },
            { .set($0, ["limits": ["connections": 5]]) },
        ] {
            for id in [ApplicationID(.pusher, "1001"), ApplicationID(.pubnub, "demo"), ApplicationID(.chat, "app-key")] {
                #expect(problem(change(id), table()) == .ofFile(id))
            }
            #expect(problem(change(ApplicationID(.chat, "demo")), table()) == .unknown(ApplicationID(.chat, "demo")))
        }
    }

    @Test func `AR-10: two secrets are valid until the rotation is finished, and a third one has to wait`() throws {
        var table = table(Apps.pusher("7", secret: "first"))
        let id = ApplicationID(.pusher, "7")
        _ = try table.apply(.rotate(id, to: "second", until: nil), beside: Apps.configured, at: 200)
        func secrets(at now: Int) -> [Secret] {
            guard case .pusher(let application) = table[id]?.served(at: now) else { return [] }
            return application.validSecrets
        }
        #expect(secrets(at: 1_000_000) == ["second", "first"])
        #expect(problem(.rotate(id, to: "third", until: nil), table) == .rotating(id))
        let finished = try table.apply(.finish(id), beside: Apps.configured, at: 300)
        #expect(secrets(at: 300) == ["second"] && finished.changed == 300 && finished.created == 100)
        #expect(problem(.finish(id), table) == .notRotating(id))
    }

    @Test func `AR-11: a deadline ends a rotation`() throws {
        var table = table(Apps.keyset("s"), Apps.chat("c"))
        let (first, second) = (ApplicationID(.pubnub, "s"), ApplicationID(.chat, "c"))
        _ = try table.apply(.rotate(first, to: "x", until: 500), beside: Apps.configured, at: 200)
        _ = try table.apply(.rotate(second, to: "x", until: 400), beside: Apps.configured, at: 200)
        let cases: [(now: Int, end: Int?, one: Bool, other: Bool)] = [
            (200, 400, true, true), (399, 400, true, true), (400, 500, true, false), (499, 500, true, false),
            (500, nil, false, false),
        ]
        for (now, end, one, other) in cases {
            #expect(table.nextEnd(after: now) == end)
            #expect((table[first]?.served(at: now).previousSecret != nil) == one, "\(now)")
            #expect((table[second]?.served(at: now).previousSecret != nil) == other, "\(now)")
        }
        #expect(problem(.finish(first), table, at: 500) == .notRotating(first))
        #expect(problem(.rotate(first, to: "y", until: nil), table, at: 500) == nil)
    }

    @Test func `AR-12: a removed application gives its names and its place free`() throws {
        var table = table(Apps.pusher("7"), maximum: 1)
        _ = try table.apply(.enable(ApplicationID(.pusher, "7"), false), beside: Apps.configured, at: 200)
        #expect(table[ApplicationID(.pusher, "7")]?.stored.isEnabled == false)
        _ = try table.apply(.remove(ApplicationID(.pusher, "7")), beside: Apps.configured, at: 200)
        #expect(problem(.create(Apps.pusher("8", key: "key-7")), table) == nil)
    }

    @Test func `AR-2: those of the configuration win, also when they come later`() {
        let table = table(
            Apps.keyset("demo"), Apps.keyset("b", publishKey: "demo"), Apps.keyset("a"), Apps.chat("app-key"), Apps.chat("c"))
        #expect(table.merged(keysets: [.development], at: 0).map(\.subscribeKey) == ["demo", "a"])
        #expect(table.merged(keysets: [], at: 0).map(\.subscribeKey) == ["a", "b", "demo"])
        #expect(table.merged(chat: [.development], at: 0).map(\.key) == ["app-key", "c"])
        let configured = ReloadableApplicationRegistry([])
        let layered = LayeredApplications(above: configured)
        layered.replace(with: [
            Application(id: "1001", key: "k", secret: "s"), Application(id: "7", key: "app-key", secret: "s"),
            Application(id: "8", key: "free", secret: "s"),
        ])
        #expect(layered.listed.map(\.id) == ["1001", "7", "8"])
        configured.replace(with: [.development])
        #expect(layered.listed.map(\.id) == ["1001", "8"])
        #expect(layered.application(key: "k") == nil && layered.application(id: "7") == nil)
        #expect(layered.application(id: "1001") == .development && layered.application(key: "free")?.id == "8")
    }

    @Test func `AR-2: an id is a service and a name`() {
        for text in ["pusher/7", "chat/a/b"] { #expect(ApplicationID(.init(text))?.description == text) }
        for text in ["", "pusher", "pusher/", "/7", "other/7"] { #expect(ApplicationID(.init(text)) == nil, "\(text)") }
    }
}
