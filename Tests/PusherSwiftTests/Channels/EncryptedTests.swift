import ConnectionEngine
import NIOConcurrencyHelpers
import Testing

@testable import PusherSwift

/// Encrypted channels: PusherSwift's own fixtures, with the key from an endpoint or an authorizer.
struct EncryptedTests {
    private static let key = "iBvNoPVYwByqSfg6anjPpEQ2j051b3rt1Vmnb+z5doo="
    private static let otherKey = "EOWC/ked3NtBDvEs9gFwk7x4oZEbH9I0Lz2qkopBxxs="
    private static let payload =
        #"{"nonce":"4sVYwy4j/8dCcjyxtPCWyk19GaaViaW9","ciphertext":"/GMESnFGlbNn01BuBjp31XYa3i9vZsGKR8fgR9EDhXKx3lzGiUD501A="}"#
    private static let otherPayload =
        #"{"nonce":"Ew2lLeGzSefk8fyVPbwL1yV+8HMyIBrm","ciphertext":"ig9HfL7OKJ9TL97WFRG0xpuk9w0DXUJhLQlQbGf+ID9S3h15vb/fgDfsnsGxQNQDxw+i"}"#
    private static let name = "private-encrypted-channel"

    private let notebook = Notebook()

    /// A client whose endpoint gives these keys in turn, the last one from then on.
    private func subscribed(keys: [String?]) -> Fixture {
        let fixture = Fixture(options: PusherClientOptions(authMethod: .endpoint(authEndpoint: "http://localhost/auth")))
        let left = NIOLockedValueBox(keys)
        fixture.http.answer { _ in
            let key = left.withLockedValue { $0.count > 1 ? $0.removeFirst() : $0.first ?? nil }
            let secret = key.map { #","shared_secret":"\#($0)""# } ?? ""
            return .success(
                AuthorizationResponse(status: 200, headers: [], body: Array(#"{"auth":"k:s"\#(secret)}"#.utf8)))
        }
        let channel = fixture.pusher.subscribe(channelName: Self.name)
        channel.bind(eventName: "e") { [notebook] in notebook.note($0.data ?? "-") }
        fixture.connect()
        fixture.confirm(Self.name)
        return fixture
    }

    // Proof of U6.
    @Test func `events are decrypted`() {
        let fixture = subscribed(keys: [Self.key])
        fixture.receive("e", on: Self.name, Self.payload)
        #expect(notebook.lines == [#"{"message":"hello world"}"#] && fixture.http.requests.count == 1)
    }

    // Proof of U10.
    @Test func `a wrong key is asked for anew, once per event`() {
        let fixture = subscribed(keys: [Self.otherKey, Self.key])
        fixture.receive("e", on: Self.name, Self.payload)
        #expect(notebook.lines == [#"{"message":"hello world"}"#] && fixture.http.requests.count == 2)
    }

    // Proof of U6, U10.
    @Test func `an event that no key opens is skipped and told`() {
        let fixture = subscribed(keys: [Self.otherKey])
        fixture.receive("e", on: Self.name, Self.payload)
        #expect(fixture.delegate.lines.last == "undecryptable e on \(Self.name)" && fixture.http.requests.count == 2)
        #expect(fixture.delegate.log.contains { $0.contains("Skipping event that failed to decrypt on channel") })
        fixture.receive("e", on: Self.name, Self.otherPayload)
        #expect(notebook.lines == [#"{"name":"freddy","message":"hello"}"#])
    }

    // Proof of U6.
    @Test func `what is not encrypted is told without asking for a key`() {
        let fixture = subscribed(keys: [Self.key])
        fixture.receive("e", on: Self.name, #"{"ciphertext":"x"}"#)
        fixture.receive("e", on: Self.name, "plain")
        #expect(fixture.delegate.lines.filter { $0.hasPrefix("undecryptable") }.count == 2)
        #expect(fixture.http.requests.count == 1 && notebook.lines.isEmpty)
    }

    // Proof of U10.
    @Test func `an authorizer gives keys as well`() {
        let authority = AuthorizingTests.Authority(PusherAuth(auth: "k:s", sharedSecret: Self.key))
        let fixture = Fixture(options: PusherClientOptions(authMethod: .authorizer(authorizer: authority)))
        let channel = fixture.pusher.subscribe(Self.name)
        channel.bind(eventName: "e") { [notebook] in notebook.note($0.data ?? "-") }
        fixture.connect()
        fixture.confirm(Self.name)
        fixture.receive("e", on: Self.name, Self.payload)
        fixture.receive("e", on: Self.name, Self.otherPayload)
        #expect(notebook.lines == [#"{"message":"hello world"}"#])
        #expect(authority.asked.lines.count == 2 && fixture.delegate.lines.last == "undecryptable e on \(Self.name)")
    }

    // Proof of U6.
    @Test func `a channel without a key fails visibly`() {
        let fixture = Fixture(options: PusherClientOptions(authMethod: .inline(secret: "secret")))
        fixture.pusher.subscribe(Self.name)
        fixture.connect()
        #expect(fixture.delegate.lines.last == "failed \(Self.name)")
    }
}
