import ServerStorage
import Testing
import WireCoding

@testable import LifelineServer
@testable import ServerTestSupport

@Suite("Stored documents of applications")
struct ApplicationDocumentTests {
    private let reader = TestApplications.reader
    private let id = ApplicationID(.pusher, "7")

    private func problem(_ body: () throws(ApplicationProblem) -> Void) -> ApplicationProblem? {
        do throws(ApplicationProblem) {
            try body()
            return nil
        } catch {
            return error
        }
    }

    @Test func `AR-20: what is stored is encrypted with the operator's key, and bound to its name`() throws {
        let document = Array(#"{"secret":"hidden"}"#.utf8)
        let seal = ApplicationSeal(Secret(String(repeating: "k", count: 32)))
        let entry = try seal.entry(document, of: id)
        #expect(entry.firstRange(of: Array("hidden".utf8)) == nil)
        #expect(try seal.document(entry, of: id) == document)
        #expect(try seal.entry(document, of: id) != entry)
        let other = ApplicationSeal(Secret(String(repeating: "o", count: 32)))
        let elsewhere = ApplicationID(.pusher, "8")
        for (seal, id, expected) in [
            (other, id, .keyWrong(id)), (ApplicationSeal(), id, .keyMissing(id)), (seal, elsewhere, .keyWrong(elsewhere)),
        ] as [(ApplicationSeal, ApplicationID, ApplicationProblem)] {
            let found = problem { () throws(ApplicationProblem) in _ = try seal.document(entry, of: id) }
            #expect(found == expected)
        }
        // An entry from before the key was set.
        let plain = try ApplicationSeal().entry(document, of: id)
        #expect(try seal.document(plain, of: id) == document)
        for damaged in [[], [9], [2], [2, 1, 2, 3]] as [[UInt8]] {
            let found = problem { () throws(ApplicationProblem) in _ = try seal.document(damaged, of: id) }
            #expect(found == .unreadable(id) || found == .keyWrong(id))
        }
    }

    @Test func `AR-4: a document has all of an application`() throws {
        var application = try reader.application(
            .pusher, ["id": "7", "key": "k", "secret": "first", "limits": ["connections": 5]], at: 100, random: { _ in [] })
        application.rotate(to: "second", until: 900, at: 200)
        application.enable(false, at: 300)
        #expect(try reader.application(id, document: reader.document(application)) == application)
        #expect(application.settings == ["id": "7", "key": "k", "limits": ["connections": 5]])
        for document in [
            "", "{}", #"{"format":2}"#, String(decoding: reader.document(TestApplications.pusher("8")), as: UTF8.self),
        ] {
            let found = problem { () throws(ApplicationProblem) in
                _ = try reader.application(id, document: Array(document.utf8))
            }
            #expect(found == .unreadable(id), "\(document)")
        }
    }

    @Test func `AR-6: names and a secret are made when they are not given`() throws {
        let random: (Int) -> [UInt8] = { Array(repeating: 0xAB, count: $0) }
        let pusher = try reader.application(.pusher, [:], at: 100, random: random)
        #expect(
            pusher.id.name.text == "1" + String(repeating: "1", count: 11)
                && pusher.stored.key == String(repeating: "ab", count: 10))
        #expect(pusher.stored.secret.revealed == String(repeating: "ab", count: 20))
        let keyset = try reader.application(.pubnub, ["publishKey": "p"], at: 100, random: random)
        #expect(keyset.id.name.text.hasPrefix("sub-ab") && keyset.stored.key == "p")
        let chat = try reader.application(.chat, ["secret": "given"], at: 100, random: random)
        #expect(chat.stored.secret == "given" && chat.settings["secret"] == nil)
    }

    @Test func `AR-3: settings and secrets have a bound, and errors have no secret`() {
        let long = JSONValue.string(String(repeating: "x", count: 9_000))
        for given: JSONValue in [
            ["name": long], ["secret": long], ["secret": ""], ["previousSecret": "hidden"], ["wrong": "hidden"], "text",
        ] {
            let found = problem { () throws(ApplicationProblem) in
                _ = try reader.application(.chat, given, at: 100, random: { Array(repeating: 0, count: $0) })
            }
            guard case .invalid(let reason) = found else {
                Issue.record("\(given.text.prefix(40))")
                continue
            }
            #expect(!reason.contains("hidden") && reason.hasSuffix("."))
        }
    }
}
