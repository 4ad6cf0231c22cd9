import Testing

@testable import ServerRuntime

struct RefusalSentenceTests {
    @Test(arguments: [
        ("{\"message\":\"Forbidden\",\"error\":true,\"status\":403}", "Forbidden"),
        ("{\"code\":1004,\"errorMessage\":\"The clock is wrong.\"}", "The clock is wrong."),
        ("{\"error\":\"Log in first.\"}", "Log in first."),
        ("[0,\"Invalid Key\",\"17959571850583541\"]", "Invalid Key"),
        ("{\"status\":415,\"error\":{\"message\":\"It must be JSON.\",\"source\":\"objects\"}}", "It must be JSON."),
        (
            "{\"error\":{\"message\":\"Invalid input.\",\"details\":[{\"message\":\"Missing field\",\"location\":\"uuid\"}]}}",
            "Invalid input. Missing field (uuid)"
        ),
        ("{\"status\":\"unavailable\",\"reasons\":[\"redis\",\"store\"]}", "unavailable: redis, store"),
        ("{\"status\": 500, \"error\": true, \"error_message\": \"\"}", "Internal Server Error"),
        ("{\"other\":1}", "{\"other\":1}"), ("{broken", "{broken"), ("[0]", "[0]"), ("", "Internal Server Error"),
    ])
    func `SO-150: a sentence in JSON is written without the JSON`(body: String, expected: String) {
        #expect(RefusalSentence.of(HTTPAnswer(status: 500, .json, Array(body.utf8))) == expected)
    }

    @Test func `SO-150: a plain text is written as it is, without its line break`() {
        #expect(
            RefusalSentence.of(HTTPAnswer(status: 400, .text, Array("name has 1 to 200 bytes.\n".utf8)))
                == "name has 1 to 200 bytes.")
        let long = "[\"" + String(repeating: "x", count: 5_000) + "\"]"
        #expect(RefusalSentence.of(HTTPAnswer(status: 400, .json, Array(long.utf8))).utf8.count == 4_096)
    }
}
