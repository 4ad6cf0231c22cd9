import Testing

@testable import ServerRuntime

@Suite("A list with its first element inside (SV-2)", .timeLimit(.minutes(1)))
struct ShortListTests {
    @Test("It behaves as an array does")
    func model() {
        var random = SystemRandomNumberGenerator()
        var list: ShortList<Int> = []
        var array: [Int] = []
        for number in 0..<2_000 {
            switch Int.random(in: 0..<6, using: &random) {
            case 0, 1, 2:
                list.append(number)
                array.append(number)
            case 3: #expect(list.popLast() == array.popLast())
            case 4:
                guard let place = array.indices.randomElement(using: &random) else { continue }
                list.swapAt(place, list.count - 1)
                array.swapAt(place, array.count - 1)
            default:
                guard let place = array.indices.randomElement(using: &random) else { continue }
                list[place] = number
                array[place] = number
            }
            if array.count > 8 { (list, array) = ([], []) }
            #expect(Array(list) == array)
            #expect(list.count == array.count)
            #expect(list.isEmpty == array.isEmpty)
            #expect(list.firstIndex(of: number) == array.firstIndex(of: number))
        }
    }

    @Test("Its size is that of the element and one reference")
    func size() {
        #expect(MemoryLayout<ShortList<String>>.size == MemoryLayout<String>.size + 8)
    }
}
