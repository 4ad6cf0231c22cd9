import ConnectionEngine
import PusherProtocol
import Testing

@Suite("Watchlists and cache channels (rules PW-17, PS-32, PS-35)")
struct PusherWatchlistTests {
    @Test("Changes are told in the server's order, in either shape of data")
    func told() {
        let script = PusherUserTests.signedIn()
        let object =
            #"{"events":[{"name":"online","user_ids":["a",7]},{"name":"offline","user_ids":["b"]},{"name":"online","user_ids":[]}]}"#
        script.receive(#"{"event":"pusher_internal:watchlist_events","data":\#(object)}"#)
        let text = object.replacing("\"", with: "\\\"")
        script.receive(#"{"event":"pusher_internal:watchlist_events","data":"\#(text)"}"#)
        #expect(script.told() == Array(repeating: "watchlist online a,7 | offline b | online ", count: 2))
    }

    @Test(
        "What cannot be read is malformed, and the connection goes on",
        arguments: [
            "{}", "null", "7", #""oops""#, #"{"events":{}}"#, #"{"events":[{"name":"online"}]}"#,
            #"{"events":[{"user_ids":["a"]}]}"#,
            #"{"events":[{"name":"","user_ids":["a"]}]}"#, #"{"events":[{"name":"online","user_ids":[null]}]}"#,
            #"{"events":[{"name":"online","user_ids":"a"}]}"#,
        ])
    func malformed(_ data: String) {
        let script = PusherUserTests.signedIn()
        script.receive(#"{"event":"pusher_internal:watchlist_events","data":\#(data)}"#)
        script.receive(#"{"event":"pusher_internal:watchlist_events","data":{"events":[]}}"#)
        #expect(script.told() == ["malformed", "watchlist "])
    }

    @Test(
        "A change or a user that cannot be read does not cost the others (PW-40)",
        arguments: [
            #"{"name":"offline","user_ids":["b",{}]}"#, #"{"user_ids":["x"]},{"name":"offline","user_ids":["b"]}"#,
            #"{"name":"\ud800","user_ids":["x"]},{"name":"offline","user_ids":["b"]}"#, #"7,{"name":"offline","user_ids":["b"]}"#,
        ])
    func damaged(_ events: String) {
        let script = PusherUserTests.signedIn()
        let text = #"{"events":[{"name":"online","user_ids":["a"]},\#(events)]}"#
        let data = text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
        script.receive(#"{"event":"pusher_internal:watchlist_events","data":"\#(data)"}"#)
        #expect(script.told() == ["watchlist online a | offline b", "malformed"])
    }

    // Proof of PW-17, PW-40.
    @Test("A list beyond all measure is malformed, in one change or in many")
    func bounded() {
        func ids(_ count: Int) -> String { (0..<count).map(String.init).joined(separator: ",") }
        func data(_ events: [String]) -> String { #"{"events":[\#(events.joined(separator: ","))]}"# }
        func change(_ count: Int) -> String { #"{"name":"online","user_ids":[\#(ids(count))]}"# }
        #expect(PusherWatchlistChange.list(parsing: data([change(10_000)]))?.first?.userIDs.count == 10_000)
        #expect(PusherWatchlistChange.list(parsing: data([change(10_001)])) == nil)
        #expect(PusherWatchlistChange.list(parsing: data([change(5001), change(5000)])) == nil)
        #expect(PusherWatchlistChange.list(parsing: data(Array(repeating: change(0), count: 10_001))) == nil)
    }

    @Test("Nothing is told to who is not signed in")
    func notSignedIn() {
        let script = PusherScript.connected()
        script.forget()
        script.receive(#"{"event":"pusher_internal:watchlist_events","data":{"events":[{"name":"online","user_ids":["a"]}]}}"#)
        script.receive(#"{"event":"pusher_internal:watchlist_events","data":"oops"}"#)
        #expect(script.told() == [])
    }

    @Test("Servers that tell it as an event of its own are understood, and the event is told as well")
    func bare() {
        let script = PusherUserTests.signedIn()
        script.receive(#"{"event":"online","data":"{\"user_ids\":[\"a\"]}"}"#)
        script.receive(#"{"event":"offline","data":{"user_ids":["a","b"]}}"#)
        script.receive(#"{"event":"online","data":"1"}"#)
        #expect(
            script.told() == [
                "watchlist online a", #"message - online {"user_ids":["a"]}"#, "watchlist offline a,b",
                #"message - offline {"user_ids":["a","b"]}"#, "message - online 1",
            ])
    }

    @Test("A cache miss is told as such and as a message, on channels that are subscribed")
    func cacheMiss() {
        let script = PusherScript.connected("cache-a", "b")
        script.receive(PusherFrames.cacheMiss(channel: "cache-a"))
        script.confirm("cache-a")
        script.forget()
        script.receive(PusherFrames.cacheMiss(channel: "cache-a"))
        script.receive(#"{"event":"pusher:cache_miss","channel":"cache-a"}"#)
        script.receive(PusherFrames.cacheMiss(channel: "cache-never-asked"))
        #expect(
            script.told() == [
                "cache missed cache-a", "message cache-a pusher:cache_miss {}", "cache missed cache-a",
                "message cache-a pusher:cache_miss -",
            ])
    }
}
