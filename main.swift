import lib
enum A: T { case a
 var path: String { "" }
 var headers: [String: String]? { ["a": "b"] }
 var sampleData: [UInt8] { [] }
 var validationType: Int { 3 }
}
enum B: T { case a
 var path: String { "" } }
extension B { 
 var sampleData: [UInt8] { [] }
}
struct C: T { let path: String; let headers: [String: String]?
 let sampleData: [UInt8] }
