import Lifeline
import Testing

@testable import LifelineCommand

struct CallAdviceTests {
    private func advice(_ arguments: [String], _ error: LifelineError) throws -> String? {
        try ServiceOptions.parse(arguments).advice(on: error)
    }

    private let denied = LifelineError(.accessDenied, "Denied.")

    @Test func `CL-128: a refused call of Pusher names the options that may be wrong`() throws {
        let unknown = LifelineError(.badRequest, "There is no application with this id.", number: 404)
        #expect(
            try advice(["--secret", "s"], unknown)?.contains(
                "for the application id 1001. Name another application with --app-id or --config.") == true)
        #expect(try advice(["--secret", "s", "--key", "k", "--app-id", "7"], denied)?.contains("--key k and --app-id 7") == true)
        #expect(try advice([], denied) == nil)
        #expect(try advice(["--secret", "s"], LifelineError(.badRequest, "Too long.", number: 400)) == nil)
    }

    @Test func `CL-128: a refused signature of PubNub names both keys, and a call without one what to give`() throws {
        let pubnub = ["--service", "pubnub", "--key", "sub"]
        #expect(try advice(pubnub + ["--secret", "s"], denied)?.contains("--publish-key demo belong to --key sub") == true)
        #expect(try advice(pubnub, denied)?.contains("--token") == true)
        #expect(try advice(pubnub + ["--token", "t"], denied) == nil)
        #expect(try advice(pubnub, LifelineError(.timeout, "Late.")) == nil)
    }

    @Test func `CL-128: an unknown authority is trusted with an option, for each service`() throws {
        for service in ["pusher", "pubnub", "chat"] {
            #expect(
                try advice(["--service", service], LifelineError(.init(.tlsUntrusted), "Unknown."))
                    == "Trust the authority of the server's certificate with --ca FILE.")
        }
        #expect(try advice(["--service", "chat"], denied) == nil)
    }
}
