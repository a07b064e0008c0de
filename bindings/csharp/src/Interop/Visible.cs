using System.Runtime.CompilerServices;

[assembly: InternalsVisibleTo("CkptTests")]
