import Foundation
import Testing

@Suite("The built program", .serialized, .timeLimit(.minutes(2)))
struct ProgramTests {
    @Test("serve, listen, publish and an orderly end, as users run them")
    func endToEnd() async throws {
        let server = try Program("serve", "--port", "0")
        let ready = await server.line { $0.hasPrefix("lifeline: ready ") }
        let url = String(ready.dropFirst("lifeline: ready ".count))
        #expect(url.hasPrefix("http://127.0.0.1:"))

        let listener = try Program(
            "listen", "--url", url, "--json", "--name", "a", "--timing", "fast", "--secret", "app-secret", "--channel", "room")
        _ = await listener.line { $0.contains(#""ev":"subscribed","ch":"room""#) }

        let data = #"{"a":[1,2]}"#
        let publisher = try Program(
            "publish", "--url", url, "--secret", "app-secret", "--channel", "room", "--event", "e", "--data", data, "--json")
        #expect(await publisher.end() == 0)
        #expect(publisher.lines.first?.hasSuffix(#""ev":"published","ch":"room","outcome":"accepted","id":null}"#) == true)
        let message = await listener.line { $0.contains(#""ev":"msg""#) }
        // RV-19: the id is the event's position, of a random epoch.
        #expect(message.contains(#""ev":"msg","ch":"room","event":"e","data":{"a":[1,2]},"id":""#))
        #expect(message.hasSuffix(#":1","user":null}"#))

        listener.type("subscribe private-b")
        _ = await listener.line { $0.contains(#""ev":"subscribed","ch":"private-b""#) }
        listener.type("publish private-b 5")
        _ = await listener.line { $0.contains(#""ev":"published","ch":"private-b","outcome":"accepted""#) }
        listener.type("unsubscribe private-b")
        _ = await listener.line { $0.contains(#""ev":"unsubscribed","ch":"private-b""#) }
        listener.endInput()

        server.send(SIGTERM)
        let lost = await listener.line { $0.contains(#""status":"reconnecting""#) }
        #expect(lost.contains(#""code":4100"#))
        #expect(await server.end() == 0)
        #expect(server.lines == [ready])

        listener.send(SIGINT)
        #expect(await listener.end() == 0)
        #expect(listener.lines.last?.contains(#""status":"disconnected""#) == true)
    }

    @Test(
        "CL-61, CL-62: a signed-in listener tells notices and the user's messages; encryption that is asked for is not forgotten")
    func signedIn() async throws {
        let server = try Program("serve", "--port", "0")
        let url = String(await server.line { $0.hasPrefix("lifeline: ready ") }.dropFirst("lifeline: ready ".count))
        let listener = try Program(
            "listen", "--url", url, "--json", "--secret", "app-secret", "--user", "ann", "--sign-in", "--watch", "ben",
            "--notices", "--channel", "#server-to-user-ann")
        let signedIn = await listener.line { $0.contains(#""name":"signedIn""#) }
        #expect(signedIn.hasSuffix(#""ev":"notice","name":"signedIn","ch":null,"data":{"user":"ann"}}"#))
        _ = await listener.line { $0.contains(##""ev":"subscribed","ch":"#server-to-user-ann""##) }
        let publisher = try Program(
            "publish", "--url", url, "--secret", "app-secret", "--channel", "#server-to-user-ann", "--data", "1")
        #expect(await publisher.end() == 0)
        _ = await listener.line { $0.contains(##""ev":"msg","ch":"#server-to-user-ann""##) }
        listener.type("quit")
        #expect(await listener.end() == 0)

        let careful = try Program(
            "listen", "--url", url, "--json", "--secret", "app-secret", "--require-encryption", "--channel", "room")
        let refused = await careful.line { $0.contains(#""ev":"error","ch":"room","category":"unsupported""#) }
        #expect(refused.contains("end-to-end encryption"))
        careful.type("quit")
        #expect(await careful.end() == 0)
        server.send(SIGTERM)
        #expect(await server.end() == 0)
    }

    @Test("CL-11, CL-12: PubNub by serve, listen, publish, history and presence, as users run them")
    func pubNub() async throws {
        let server = try Program("serve", "--port", "0")
        let url = String(await server.line { $0.hasPrefix("lifeline: ready ") }.dropFirst("lifeline: ready ".count))
        let listener = try Program(
            "listen", "--service", "pubnub", "--url", url, "--json", "--name", "a", "--timing", "fast", "--presence",
            "--channel", "room")
        let connected = await listener.line { $0.contains(#""status":"connected""#) }
        #expect(connected.hasSuffix(#""vendor":"PNConnectedCategory"}"#))
        let joined = await listener.line { $0.contains(#""ev":"presence""#) }
        #expect(joined.hasSuffix(#""ch":"room","action":"join","user":"a","count":1}"#))

        let publisher = try Program(
            "publish", "--service", "pubnub", "--url", url, "--name", "b", "--channel", "room", "--event", "price", "--data",
            "[1]", "--json")
        #expect(await publisher.end() == 0)
        let id = publisher.lines.first?.split(separator: "\"").last { $0.allSatisfy(\.isNumber) } ?? "none"
        let message = await listener.line { $0.contains(#""ev":"msg""#) }
        #expect(message.hasSuffix(#""ch":"room","event":"price","data":[1],"id":"\#(id)","user":"b"}"#))

        let history = try Program("history", "--service", "pubnub", "--url", url, "--channel", "room", "--json")
        #expect(await history.end() == 0)
        #expect(
            timeless(history.lines) == [#"{"ev":"history","ch":"room","event":"price","data":[1],"id":"\#(id)","user":"b"}"#])
        let presence = try Program("presence", "--service", "pubnub", "--url", url, "--channel", "room", "--json")
        #expect(await presence.end() == 0)
        #expect(
            presence.lines == [
                #"{"ev":"present","ch":"room","user":"a","state":null}"#, #"{"ev":"occupancy","ch":"room","count":1}"#,
            ])
        // CL-11: the user is --user, whatever the name in the lines is.
        let both = try Program(
            "publish", "--service", "pubnub", "--url", url, "--name", "b", "--user", "ann", "--channel", "own", "--data", "1")
        #expect(await both.end() == 0)
        let own = try Program("history", "--service", "pubnub", "--url", url, "--channel", "own", "--json")
        #expect(await own.end() == 0)
        #expect(own.lines.count == 1 && timeless(own.lines)[0].hasSuffix(#""user":"ann"}"#))
        // CL-85: what the service says is told.
        let stranger = try Program(
            "listen", "--service", "pubnub", "--url", url, "--key", "nobody", "--json", "--channel", "room")
        let told = await stranger.line { $0.contains(#""status":"reconnecting""#) || $0.contains(#""status":"failed""#) }
        #expect(told.contains("It says: Invalid Subscribe Key"))
        stranger.type("quit")
        _ = await stranger.end()
        let filter = try Program(
            "listen", "--service", "pubnub", "--url", url, "--json", "--filter", "((", "--channel", "room")
        filter.endInput()
        #expect(await filter.end() == 1)
        #expect(filter.lines.last?.contains(#""code":481"#) == true)

        listener.send(SIGINT)
        #expect(await listener.end() == 0)
        server.send(SIGTERM)
        #expect(await server.end() == 0)
    }

    @Test("CL-16, CL-17: chat by serve, listen, publish, history and presence, as users run them")
    func nexconn() async throws {
        let server = try Program("serve", "--port", "0", "--nexconn-key", "chat", "--nexconn-secret", "hush")
        let url = String(await server.line { $0.hasPrefix("lifeline: ready ") }.dropFirst("lifeline: ready ".count))
        let listener = try Program(
            "listen", "--service", "nexconn", "--url", url, "--key", "chat", "--secret", "hush", "--user", "ann", "--json",
            "--timing", "fast", "--presence", "--channel", "direct:ben", "--channel", "room")
        let connected = await listener.line { $0.contains(#""status":"connected""#) }
        #expect(connected.hasSuffix(#""vendor":"connected 0"}"#))
        _ = await listener.line { $0.contains(#""ev":"subscribed","ch":"direct:ben""#) }
        let joined = await listener.line { $0.contains(#""ev":"presence""#) }
        #expect(joined.hasSuffix(#""ch":"room","action":"join","user":"ann","count":1}"#))

        let publisher = try Program(
            "publish", "--service", "nexconn", "--url", url, "--key", "chat", "--secret", "hush", "--user", "ben", "--channel",
            "direct:ann", "--data", #"{"content":"hi"}"#, "--json")
        #expect(await publisher.end() == 0)
        let id = publisher.lines.first?.split(separator: "\"").last { $0.allSatisfy(\.isNumber) } ?? "none"
        let message = await listener.line { $0.contains(#""ev":"msg""#) }
        #expect(
            message.hasSuffix(#""ch":"direct:ben","event":"message","data":{"content":"hi"},"id":"\#(id)","user":"ben"}"#))
        let open = try Program(
            "publish", "--service", "nexconn", "--url", url, "--key", "chat", "--secret", "hush", "--user", "ben", "--channel",
            "room", "--event", "my:type", "--data", "[1]")
        #expect(await open.end() == 0)
        let said = await listener.line { $0.contains(#""ch":"room","event":"my:type""#) }
        #expect(said.contains(#""data":{"content":[1]}"#))

        // Asked as a device of another class, so that the listener stays.
        let history = try Program(
            "history", "--service", "nexconn", "--url", url, "--key", "chat", "--secret", "hush", "--user", "ann", "--channel",
            "direct:ben", "--json")
        #expect(await history.end() == 0)
        let line = #"{"ev":"history","ch":"direct:ben","event":"message","data":{"content":"hi"},"id":"\#(id)","user":"ben"}"#
        #expect(timeless(history.lines) == [line])
        let presence = try Program(
            "presence", "--service", "nexconn", "--url", url, "--key", "chat", "--secret", "hush", "--user", "ann", "--channel",
            "room", "--json")
        #expect(await presence.end() == 0)
        #expect(presence.lines.contains(#"{"ev":"present","ch":"room","user":"ann","state":null}"#))

        let second = try Program(
            "listen", "--service", "nexconn", "--url", url, "--key", "chat", "--secret", "hush", "--user", "ann", "--json")
        _ = await second.line { $0.contains(#""status":"connected""#) }
        let kicked = await listener.line { $0.contains(#""status":"failed""#) }
        #expect(kicked.contains(#""code":31010"#))
        #expect(kicked.hasSuffix(#""vendor":"kickedOfflineByOtherClient 6"}"#))
        listener.endInput()
        #expect(await listener.end() == 1)
        second.send(SIGINT)
        #expect(await second.end() == 0)

        let wrong = try Program(
            "listen", "--service", "nexconn", "--url", url, "--key", "chat", "--secret", "wrong", "--user", "ann", "--json")
        wrong.endInput()
        #expect(await wrong.end() == 1)
        #expect(wrong.lines.last?.hasSuffix(#""vendor":"unconnected 11"}"#) == true)
        server.send(SIGTERM)
        #expect(await server.end() == 0)
    }

    @Test("CL-32, CL-37: doctor tells each step, and its exit code says whether one failed")
    func doctor() async throws {
        let server = try Program("serve", "--port", "0")
        let url = String(await server.line { $0.hasPrefix("lifeline: ready ") }.dropFirst("lifeline: ready ".count))
        let good = try Program("doctor", url, "--secret", "app-secret")
        #expect(await good.end() == 0)
        #expect(good.lines.last == "All tested steps succeeded.")
        #expect(good.lines.contains { $0.hasPrefix("✓ round trip ") } && !good.lines.joined().contains("app-secret"))
        let bad = try Program("doctor", url + "/app/nobody", "--json")
        #expect(await bad.end() == 1)
        #expect(bad.lines.count == 13 && bad.lines.allSatisfy { $0.hasPrefix(#"{"step":""#) && $0.hasSuffix("}") })
        #expect(
            bad.lines.contains { $0.contains(#""step":"handshake","result":"failed""#) && $0.contains(#""code":"app-unknown""#) })
        for arguments in [["doctor", "x"], ["doctor", "--timeout", "0", url], ["doctor"]] {
            let wrong = try Program(arguments)
            #expect(await wrong.end() == 2)
            #expect(!wrong.errors.isEmpty)
        }
        server.send(SIGTERM)
        #expect(await server.end() == 0)
    }

    @Test("CL-6: a connection that fails for good ends listen with 1 when nobody can ask for another")
    func failedForGood() async throws {
        let server = try Program("serve", "--port", "0")
        let url = String(await server.line { $0.hasPrefix("lifeline: ready ") }.dropFirst("lifeline: ready ".count))
        let listener = try Program("listen", "--url", url, "--json", "--key", "nobody", "--channel", "room")
        let failed = await listener.line { $0.contains(#""status":"failed""#) }
        #expect(failed.contains(#""code":4001"#))
        listener.endInput()
        #expect(await listener.end() == 1)
        #expect(listener.lines.count == 2)
        server.send(SIGINT)
        #expect(await server.end() == 0)
    }

    @Test("CL-83: after a refused connection connect subscribes again what was wanted")
    func refusedConnection() async throws {
        let server = try Program("serve", "--port", "0", environment: ["LIFELINE_APP_LIMITS_CONNECTIONS": "1"])
        let url = String(await server.line { $0.hasPrefix("lifeline: ready ") }.dropFirst("lifeline: ready ".count))
        let first = try Program("listen", "--url", url, "--json")
        _ = await first.line { $0.contains(#""status":"connected""#) }
        let second = try Program("listen", "--url", url, "--json", "--channel", "room", "--for", "30")
        let refused = await second.line { $0.contains(#""status":"failed""#) }
        #expect(refused.contains(#""code":4004"#))
        first.type("quit")
        #expect(await first.end() == 0)
        second.type("connect")
        let subscribed = await second.line { $0.contains(#""ev":"subscribed""#) }
        #expect(subscribed.hasSuffix(#""ch":"room"}"#))
        second.type("quit")
        #expect(await second.end() == 0)
        server.send(SIGTERM)
        #expect(await server.end() == 0)
    }

    @Test("CL-84: commands are obeyed in their order, also those that wait in the pipe at the start")
    func order() async throws {
        let server = try Program("serve", "--port", "0")
        let url = String(await server.line { $0.hasPrefix("lifeline: ready ") }.dropFirst("lifeline: ready ".count))
        let early = try Program("listen", "--url", url, "--json", "--channel", "room")
        for command in ["disconnect", "status", "quit"] { early.type(command) }
        #expect(await early.end() == 0)
        #expect(early.lines.count { $0.contains(#""status":"disconnected""#) } == 2)

        let listener = try Program("listen", "--url", url, "--json", "--secret", "app-secret")
        _ = await listener.line { $0.contains(#""status":"connected""#) }
        for command in [
            "subscribe a", "unsubscribe a", "subscribe b", "unsubscribe b", "subscribe b", "publish a 1", "publish b 2", "quit",
        ] { listener.type(command) }
        #expect(await listener.end() == 0)
        #expect(listener.lines.count { $0.contains(#""ev":"published""#) && $0.contains(#""outcome":"accepted""#) } == 2)
        #expect(!listener.lines.contains { $0.contains(#""ev":"msg","ch":"a""#) })
        #expect(
            listener.lines.last { $0.contains("subscribed") && $0.contains(#""ch":"b""#) }?.contains(#""ev":"subscribed""#)
                == true)
        #expect(
            listener.lines.last { $0.contains("subscribed") && $0.contains(#""ch":"a""#) }?.contains(#""ev":"subscribed""#)
                != true)
        server.send(SIGTERM)
        #expect(await server.end() == 0)
    }

    @Test("CL-8: wrong usage is 2, and says what to do")
    func wrongUsage() async throws {
        for arguments in [
            ["bogus"], ["listen", "--service", "nexconn"], ["serve", "--port", "70000"], ["listen", "--url", "x"],
            ["history", "--channel", "room"], ["presence", "--channel", "room"],
        ] {
            let program = try arguments.count == 1 ? Program(arguments[0]) : Program(arguments[0], arguments[1], arguments[2])
            #expect(await program.end() == 2)
            #expect(!program.errors.isEmpty)
        }
        let help = try Program("--help")
        #expect(await help.end() == 0)
        #expect(help.lines.contains { $0.contains("EXAMPLES") })
    }

    @Test("CL-9: a busy port is a clear error; settings come from the environment as well")
    func busyPort() async throws {
        let server = try Program("serve", environment: ["LIFELINE_PORT": "0", "LIFELINE_APP_KEY": "other"])
        let ready = await server.line { $0.hasPrefix("lifeline: ready ") }
        let port = ready.split(separator: ":").last.map(String.init) ?? ""
        #expect(port != "6001")
        let second = try Program("serve", "--port", port)
        #expect(await second.end() == 1)
        #expect(second.errors.contains("Port \(port) is in use."))
        #expect(second.lines.isEmpty)
        server.send(SIGTERM)
        #expect(await server.end() == 0)
    }

    /// Lines of `history --json` without the time at their end, which must be there. Rule CL-12.
    private func timeless(_ lines: [String]) -> [String] {
        lines.map { line in
            let time = /,"time":"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d\d\dZ"}$/
            guard line.contains(time) else { return "no time: \(line)" }
            return line.replacing(time, with: "}")
        }
    }
}
