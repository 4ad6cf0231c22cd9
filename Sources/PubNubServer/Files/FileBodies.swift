import Identifiers
import PubNubProtocol
import ServerRuntime
import ServerValues
import WireCoding

/// The answers of the files service. Refused uploads are answered in XML, which SDKs expect from the storage behind PubNub's service.
enum FileBodies {
    private static func answer(_ status: Int, _ body: [UInt8]) -> HTTPAnswer {
        var answer = HTTPAnswer(status: status, .json, body)
        answer.hasRecordedFields = true
        return answer
    }

    static func refusal(_ status: Int, _ message: String) -> HTTPAnswer {
        answer(
            status,
            JSONBody.object { body in
                body.member("status", status)
                body.key("error")
                body.object { body in
                    body.member("message", message)
                    body.member("source", "Files")
                }
            })
    }

    static let notHere = refusal(404, "File not found")
    static let unavailable = refusal(503, "Service Unavailable")

    /// The address and form fields for the upload of a file.
    ///
    /// - Parameters:
    ///   - url: the address that accepts the form.
    ///   - fields: the form fields, in the order in which the client has to send them, in front of the file.
    static func upload(_ upload: FileTicket.Upload, url: String, fields: [(key: String, value: String)]) -> HTTPAnswer {
        answer(
            200,
            JSONBody.object { body in
                body.member("status", 200)
                body.key("data")
                body.object { body in
                    body.member("id", upload.id.text)
                    body.member("name", upload.name.text)
                }
                body.key("file_upload_request")
                body.object { body in
                    body.member("url", url)
                    body.member("method", "POST")
                    body.member("expiration_date", ISOTime.text(unixSeconds: upload.expires))
                    body.key("form_fields")
                    body.array { body in
                        for field in fields {
                            body.object { body in
                                body.member("key", field.key)
                                body.member("value", field.value)
                            }
                        }
                    }
                }
            })
    }

    static func list(_ files: [StoredFile], next: FilePlace?) -> HTTPAnswer {
        answer(
            200,
            JSONBody.object { body in
                body.member("status", 200)
                body.key("data")
                body.array { body in
                    for file in files {
                        body.object { body in
                            body.member("name", file.name.text)
                            body.member("id", file.id.text)
                            body.member("size", file.size)
                            body.member(
                                "created", ISOTime.text(unixSeconds: Int(file.created / TimetokenClock.ticksPerSecond)))
                        }
                    }
                }
                body.key("next")
                if let next { body.string(next.cursor) } else { body.json("null") }
                body.member("count", files.count)
            })
    }

    static let deleted = answer(200, Array(#"{"status":200}"#.utf8))

    /// Redirects a request for a file to its content.
    ///
    /// - Parameter url: free of line breaks.
    static func found(at url: String) -> HTTPAnswer {
        var answer = HTTPAnswer(status: 307, .text, [])
        answer.hasRecordedFields = true
        // PubNub's library for PHP recognizes the field only in exactly this spelling.
        answer.fields = [("Location", url), ("cache-control", "no-store")]
        return answer
    }

    /// A file's content, with header fields that make browsers use only the given type and never display it within a page of this server.
    static func content(_ content: [UInt8], name: Identifier, reservation: BodyReservation?) -> HTTPAnswer {
        var answer = HTTPAnswer(status: 200, FileType.of(name), content)
        answer.hasRecordedFields = true
        answer.fields = [("x-content-type-options", "nosniff"), ("content-disposition", "attachment")]
        answer.reservation = reservation
        return answer
    }

    // MARK: Uploads

    /// The answer to an accepted upload.
    static let taken: HTTPAnswer = {
        var answer = HTTPAnswer(status: 204, .text, [])
        answer.hasRecordedFields = true
        return answer
    }()

    /// - Parameters:
    ///   - code: the error code of the storage behind PubNub's service.
    ///   - message: a constant without characters that XML would need escaped.
    static func uploadRefusal(_ status: Int, code: String, message: String) -> HTTPAnswer {
        let xml =
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<Error><Code>\(code)</Code><Message>\(message)</Message></Error>"
        var answer = HTTPAnswer(status: status, HTTPAnswer.ContentType(rawValue: "application/xml"), Array(xml.utf8))
        answer.hasRecordedFields = true
        return answer
    }

    static let malformedForm = uploadRefusal(
        400, code: "MalformedPOSTRequest", message: "The body is not a form with the fields of the upload followed by the file.")
    static let tooLarge = uploadRefusal(
        400, code: "EntityTooLarge", message: "Your proposed upload exceeds the maximum allowed size")
    static let wrongSignature = uploadRefusal(
        403, code: "SignatureDoesNotMatch",
        message: "The form does not have the policy and signature that were given out for this upload.")
    static let expired = uploadRefusal(403, code: "AccessDenied", message: "The upload has expired. Ask for another one.")
    static let shareUsed = uploadRefusal(
        403, code: "QuotaExceeded",
        message: "One address has added half of what the keyset may keep. Delete some files first, or try again tomorrow.")
    static let noRoom = uploadRefusal(
        403, code: "QuotaExceeded", message: "The keyset has reached its limit of files. Delete some first.")
    static let notStored = uploadRefusal(
        503, code: "ServiceUnavailable", message: "The file could not be stored. Try again later.")

    /// The refusal of an upload before the form is read.
    static func uploadRefusal(_ problem: HTTPProblem) -> HTTPAnswer {
        var answer =
            switch problem.status {
            case 413: tooLarge
            case 503:
                uploadRefusal(503, code: "SlowDown", message: "The server takes no more uploads at the moment. Try again later.")
            default:
                uploadRefusal(
                    problem.status, code: "InvalidRequest", message: "The request cannot be read, or its method is not POST.")
            }
        if let seconds = problem.retryAfter { answer.fields.append(("retry-after", String(seconds))) }
        return answer
    }
}

/// The content type of a file, by its file name extension: only types that browsers display and never execute.
enum FileType {
    private static let types: [(suffix: String, type: String)] = [
        (".txt", "text/plain; charset=utf-8"), (".json", "application/json"), (".pdf", "application/pdf"),
        (".png", "image/png"), (".jpg", "image/jpeg"), (".jpeg", "image/jpeg"), (".gif", "image/gif"), (".webp", "image/webp"),
        (".heic", "image/heic"), (".mp3", "audio/mpeg"), (".m4a", "audio/mp4"), (".ogg", "audio/ogg"), (".wav", "audio/wav"),
        (".mp4", "video/mp4"), (".mov", "video/quicktime"), (".webm", "video/webm"), (".zip", "application/zip"),
    ]

    static func of(_ name: Identifier) -> HTTPAnswer.ContentType {
        let name = name.text.lowercased()
        return HTTPAnswer.ContentType(
            rawValue: types.first { name.hasByteSuffix($0.suffix) }?.type ?? "application/octet-stream")
    }
}
